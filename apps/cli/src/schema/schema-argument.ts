import { defaultLimits, schemaInvalid } from "@video-to-json/contract";
import { readText } from "../extract/read-text.ts";
import type { Io } from "../io.ts";

/**
 * Returns the schema's text: the argument itself if it begins with `{`, else the content of the file, or of standard
 * input for "-". Throws invalid_request when it cannot be read, and schema_invalid when it is too large.
 */
export async function readSchemaArgument({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  if (text.trimStart().startsWith("{")) {
    // Node.js writes U+FFFD for bytes of an argument that are not UTF-8.
    if (text.includes("\ufffd")) throw schemaInvalid([": contains U+FFFD, the mark of lost characters; write \\ufffd"]);
    return text;
  }
  const maxBytes = defaultLimits.maxSchemaBytes;
  const tooLong = () => schemaInvalid([`: is too large: over ${maxBytes} bytes; ask for less at once`]);
  // 3 more bytes for a byte order mark, which does not count.
  return readText({ stdin, path: text }, { name: "The schema", maxBytes: maxBytes + 3, tooLong });
}
