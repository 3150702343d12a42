import { styleText } from "node:util";
import type { Io, Output } from "./io.ts";

/** Colours text, or returns it unchanged. */
export type Colours = {
  paint(style: "red" | "green" | "yellow" | "cyan" | "dim" | "bold", text: string): string;
};

type Options = { readonly env: Io["env"]; readonly stream: Output; readonly noColor?: boolean };

/**
 * Returns the colours for a stream. `--no-color` turns them off; else FORCE_COLOR decides; else NO_COLOR turns them off;
 * else they are on for a terminal that is not "dumb".
 */
export function coloursFor({ env, stream, noColor = false }: Options): Colours {
  const on = !noColor && (forced(env.FORCE_COLOR) ?? (!env.NO_COLOR && stream.isTTY === true && env.TERM !== "dumb"));
  return { paint: (style, text) => (on ? styleText(style, text, { validateStream: false }) : text) };
}

function forced(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : value !== "0" && value !== "false";
}

/** Puts text on one line and escapes control characters. The meaning of JSON text stays the same. */
export function printable(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Formats rows as lines with aligned columns, two spaces apart. Aligns columns of up to `maxWidth` characters; longer
 * cells push the rest of their line to the right.
 */
export function tableLines(rows: readonly (readonly string[])[], maxWidth = Number.POSITIVE_INFINITY): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.min(maxWidth, Math.max(widths[column] ?? 0, cell.length));
    }
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

const million = 1_000_000;

/** Formats a number of bytes: "3.2 MB", "214 MB", "12 kB". */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < million) return `${Math.round(bytes / 1000)} kB`;
  const megabytes = bytes / million;
  return `${megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes)} MB`;
}

/** Formats milliseconds as minutes and seconds: "0:07", "12:30", "1:00:00". */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}

/** Formats a balance in seconds: "3007 minutes (50 h 7 min)", "12 minutes 30 s". */
export function minutesText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const text = minutes === 1 ? "1 minute" : `${minutes} minutes`;
  if (minutes >= 120) return `${text} (${Math.floor(minutes / 60)} h ${minutes % 60} min)`;
  return seconds % 60 === 0 ? text : `${text} ${seconds % 60} s`;
}
