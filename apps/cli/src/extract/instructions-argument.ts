import { defaultLimits } from "@video-to-json/contract";
import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";
import { readText } from "./read-text.ts";

/**
 * The instructions: the text itself, or after `@` the file that holds it (`@-`: standard input). Judged as the service
 * does, before anything is sent: throws invalid_request.
 */
export async function readInstructions({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  const most = defaultLimits.maxInstructionsCharacters;
  const instructions = text.startsWith("@")
    ? await readText({ stdin, path: text.slice(1) }, { name: "The instructions", maxBytes: 4 * most + 3, tooLong })
    : text;
  if ([...instructions].length > most) throw tooLong();
  if (/[\0\ufffd]/.test(instructions)) {
    throw new Refusal("invalid_request", "The instructions hold a character that is none (NUL or U+FFFD). Remove it.");
  }
  return instructions;
}

function tooLong(): Refusal {
  const most = defaultLimits.maxInstructionsCharacters;
  return new Refusal("invalid_request", `The instructions are longer than ${most} characters. Shorten them.`);
}
