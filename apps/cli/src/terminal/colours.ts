import { styleText } from "node:util";
import type { Io, Output } from "../io.ts";

/** Colours text, or leaves it as it is. */
export type Colours = {
  readonly on: boolean;
  paint(style: "red" | "green" | "yellow" | "cyan" | "dim" | "bold", text: string): string;
};

type Wish = { readonly env: Io["env"]; readonly stream: Output; readonly noColor?: boolean };

/**
 * The colours for a stream: none for `--no-color`; else as FORCE_COLOR says; else none for NO_COLOR; else only on a
 * terminal that is not "dumb".
 */
export function coloursFor({ env, stream, noColor = false }: Wish): Colours {
  const on = !noColor && (forced(env.FORCE_COLOR) ?? (!env.NO_COLOR && stream.isTTY === true && env.TERM !== "dumb"));
  return { on, paint: (style, text) => (on ? styleText(style, text, { validateStream: false }) : text) };
}

function forced(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : value !== "0" && value !== "false";
}
