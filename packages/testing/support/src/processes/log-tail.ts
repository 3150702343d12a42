import { readFile } from "node:fs/promises";

/** Returns the last lines of a log file, or an empty text when there is no file. */
export async function logTail(file: string, lines = 20): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
