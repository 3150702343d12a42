import { schemaInvalid } from "@video-to-json/contract";
import { readText } from "../extract/read-text.ts";
import type { Io } from "../io.ts";

/**
 * Returns the schema's text: the argument itself if it begins with `{`, else the content of the file, or of standard
 * input for "-". Throws invalid_request when it cannot be read. The service refuses a schema that is too large.
 */
export async function readSchemaArgument({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  if (text.trimStart().startsWith("{")) {
    // Node.js writes U+FFFD for bytes of an argument that are not UTF-8.
    if (text.includes("\ufffd")) throw schemaInvalid([": contains U+FFFD, the mark of lost characters; write \\ufffd"]);
    return text;
  }
  return readText({ stdin, path: text }, { name: "The schema" });
}
