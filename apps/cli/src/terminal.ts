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
