import { bytesText, clockText } from "./amounts.ts";

/** An upload under way: what is sent of what, and for how long it has been. */
export type Upload = { name: string; sentBytes: number; totalBytes: number; elapsedMs: number };

const widestBar = 30;
const narrowestBar = 5;
// Rates of the first moments are of buffers that fill, not of the network.
const soonestRateMs = 500;

/** One line about an upload, no wider than `columns`: its bar gives way first, then its name. */
export function uploadLine({ name, sentBytes, totalBytes, elapsedMs }: Upload, columns: number): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, sentBytes / totalBytes);
  const figures = [
    `${String(Math.floor(share * 100)).padStart(3)} %`,
    `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`,
    ...rate(sentBytes, totalBytes, elapsedMs),
  ].join("  ");
  const room = columns - figures.length - "Uploading    ".length;
  const shownName = shorten(name, Math.max(0, room - narrowestBar - 2));
  const bar = barOf(share, Math.min(widestBar, room - shownName.length));
  return ["Uploading", shownName, bar, figures]
    .filter((part) => part !== "")
    .join(" ")
    .slice(0, Math.max(0, columns));
}

function rate(sentBytes: number, totalBytes: number, elapsedMs: number): string[] {
  if (elapsedMs < soonestRateMs || sentBytes === 0) return [];
  const perMs = sentBytes / elapsedMs;
  return [`${bytesText(Math.round(perMs * 1000))}/s`, `${clockText((totalBytes - sentBytes) / perMs)} left`];
}

function barOf(share: number, width: number): string {
  if (width < narrowestBar) return "";
  const full = Math.floor(share * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

function shorten(name: string, width: number): string {
  if (name.length <= width) return name;
  return width < 4 ? "" : `${name.slice(0, width - 1)}…`;
}
