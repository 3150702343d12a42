import { styleText } from "node:util";
import type { Io, Output } from "../io.ts";

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
