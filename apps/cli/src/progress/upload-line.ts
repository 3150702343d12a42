import { bytesText, clockText } from "./amounts.ts";

/** A running upload: bytes sent, all bytes, and milliseconds since its start. */
export type Upload = { name: string; sentBytes: number; totalBytes: number; elapsedMs: number };

const maxBarWidth = 30;
const minBarWidth = 5;
// At first the rate measures how buffers fill, not the network.
const minRateMs = 500;

/** Formats an upload as a line of at most `columns` characters. Drops the bar first, then the name, then figures. */
export function uploadLine({ name, sentBytes, totalBytes, elapsedMs }: Upload, columns: number): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, sentBytes / totalBytes);
  const figures = fitting(columns - "Uploading ".length, [
    `${String(Math.floor(share * 100)).padStart(3)} %`,
    `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`,
    ...rate(sentBytes, totalBytes, elapsedMs),
  ]);
  const spare = columns - figures.length - "Uploading    ".length;
  const shownName = shorten(name, Math.max(0, spare - minBarWidth - 2));
  const bar = barOf(share, Math.min(maxBarWidth, spare - shownName.length));
  return ["Uploading", shownName, bar, figures]
    .filter((part) => part !== "")
    .join(" ")
    .slice(0, Math.max(0, columns));
}

function rate(sentBytes: number, totalBytes: number, elapsedMs: number): string[] {
  if (elapsedMs < minRateMs || sentBytes === 0) return [];
  const perMs = sentBytes / elapsedMs;
  return [`${bytesText(Math.round(perMs * 1000))}/s`, `${clockText((totalBytes - sentBytes) / perMs)} left`];
}

/** Joins as many of the first figures as fit. */
function fitting(width: number, figures: readonly string[]): string {
  const text = figures.join("  ");
  return text.length <= width || figures.length < 2 ? text : fitting(width, figures.slice(0, -1));
}

function barOf(share: number, width: number): string {
  if (width < minBarWidth) return "";
  const full = Math.floor(share * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

/** Cuts the end or the start of a name, with `…` in its place. */
export function shorten(name: string, width: number, what: "end" | "start" = "end"): string {
  if (name.length <= width) return name;
  if (width < 4) return "";
  return what === "end" ? `${name.slice(0, width - 1)}…` : `…${name.slice(1 - width)}`;
}
