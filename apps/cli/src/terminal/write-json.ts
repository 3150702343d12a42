import type { Output } from "../io.ts";
import { printable } from "./printable.ts";

/** Writes a JSON text and a line break: byte for byte, but on a terminal without what would steer it. */
export function writeJson(stdout: Output, text: string): void {
  stdout.write(`${stdout.isTTY ? text.split("\n").map(printable).join("\n") : text}\n`);
}
