import { readFile } from "node:fs/promises";

/** The last lines of a log file, for showing to a person; empty when there is none. */
export async function logTail(file: string, lines = 20): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
