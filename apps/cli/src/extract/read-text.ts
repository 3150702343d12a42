import { createReadStream } from "node:fs";
import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";

/** What is read, for messages, how much of it there may be, and what is thrown when there is more. */
type Wanted = { name: string; maxBytes: number; tooLong: () => Refusal };

/** Where a text is: a path, or "-" for standard input. */
type Place = { stdin: Io["stdin"]; path: string };

/** The text of a file or of standard input. Throws `tooLong`, or invalid_request, saying what is wrong and where. */
export async function readText({ stdin, path }: Place, { name, maxBytes, tooLong }: Wanted): Promise<string> {
  const from = path === "-" ? "standard input" : path;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of path === "-" ? stdin : createReadStream(path)) {
      chunks.push(Buffer.from(chunk));
      bytes += chunks.at(-1)?.length ?? 0;
      if (bytes > maxBytes) break;
    }
  } catch (cause) {
    throw new Refusal("invalid_request", `${name} cannot be read from ${from}: ${reasonOf(cause)}.`, { cause });
  }
  if (bytes > maxBytes) throw tooLong();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new Refusal("invalid_request", `${name} in ${from} is not UTF-8. Save it as UTF-8.`, { cause });
  }
}

/** Why a file cannot be used, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
    case "EPERM":
      return "you may not read it";
    default:
      return code || (error instanceof Error ? error.message : String(error));
  }
}
