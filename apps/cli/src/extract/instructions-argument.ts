import { defaultLimits } from "@video-to-json/contract";
import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";
import { readText } from "./read-text.ts";

/**
 * Returns the instructions: the text itself, or the content of the file after `@` (`@-` is standard input). Throws
 * invalid_request for instructions that the service would refuse.
 */
export async function readInstructions({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  const maxCharacters = defaultLimits.maxInstructionsCharacters;
  const instructions = text.startsWith("@")
    ? await readText(
        { stdin, path: text.slice(1) },
        { name: "The instructions", maxBytes: 4 * maxCharacters + 3, tooLong },
      )
    : text;
  if ([...instructions].length > maxCharacters) throw tooLong();
  if (/[\0\ufffd]/.test(instructions)) {
    throw new CommandError(
      "invalid_request",
      "The instructions contain NUL or U+FFFD, which are not text. Remove the character.",
    );
  }
  return instructions;
}

function tooLong(): CommandError {
  const maxCharacters = defaultLimits.maxInstructionsCharacters;
  return new CommandError(
    "invalid_request",
    `The instructions are longer than ${maxCharacters} characters. Shorten them.`,
  );
}
