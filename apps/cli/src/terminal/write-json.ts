import type { Output } from "../io.ts";
import { printable } from "./printable.ts";

/** Writes JSON text and a line break. Escapes control characters on a terminal, and changes nothing elsewhere. */
export function writeJson(stdout: Output, text: string): void {
  stdout.write(`${stdout.isTTY ? text.split("\n").map(printable).join("\n") : text}\n`);
}
