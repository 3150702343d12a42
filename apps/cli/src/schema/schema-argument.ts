import { defaultLimits } from "@video-to-json/contract";
import { Refusal } from "../exit/refusal.ts";
import { readText } from "../extract/read-text.ts";
import type { Io } from "../io.ts";

/**
 * The text of the schema that an argument names: the JSON itself when it begins with `{`, else a file, or "-". Throws
 * invalid_request when it cannot be read, schema_invalid when there is too much of it.
 */
export async function readSchemaArgument({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  if (text.trimStart().startsWith("{")) return text;
  const maxBytes = defaultLimits.maxSchemaBytes;
  const tooLong = () =>
    new Refusal("schema_invalid", "The schema cannot be used. Correct it as `details` says.", {
      details: [`: is too large: over ${maxBytes} bytes; ask for less at once`],
    });
  // A byte order mark does not count.
  return readText({ stdin, path: text }, { name: "The schema", maxBytes: maxBytes + 3, tooLong });
}
