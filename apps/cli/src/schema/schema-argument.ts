import { defaultLimits } from "@video-to-json/contract";
import { readText } from "../extract/read-text.ts";
import type { Surroundings } from "../surroundings.ts";

/** The text of the schema that an argument names: the JSON itself when it begins with `{`, else a file, or "-". */
export async function readSchemaArgument({ stdin }: Pick<Surroundings, "stdin">, text: string): Promise<string> {
  if (text.trimStart().startsWith("{")) return text;
  // Some more than the limit: what is over it is refused in the service's own words.
  const maxBytes = 2 * defaultLimits.maxSchemaBytes;
  return readText({ stdin, path: text }, { name: "The schema", maxBytes });
}
