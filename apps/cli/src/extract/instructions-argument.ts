import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";
import { readText } from "./read-text.ts";

/**
 * Returns the instructions: the text itself, or the content of the file after `@` (`@-` is standard input). Throws
 * invalid_request for unreadable instructions.
 */
export async function readInstructions({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  const instructions = text.startsWith("@")
    ? await readText({ stdin, path: text.slice(1) }, { name: "The instructions" })
    : text;
  if (/[\0\ufffd]/.test(instructions)) {
    throw new CommandError(
      "invalid_request",
      "The instructions contain NUL or U+FFFD, which are not text. Remove the character.",
    );
  }
  return instructions;
}
