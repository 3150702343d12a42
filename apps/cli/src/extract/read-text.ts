import { createReadStream } from "node:fs";
import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";

// Far more than any service takes. It bounds the memory that a wrong path can fill.
const maxBytes = 64 * 2 ** 20;

/** `name` is for messages. */
type Options = { name: string };

/** A path, or "-" for standard input. */
type Source = { stdin: Io["stdin"]; path: string };

/** Returns the text of a file or of standard input. Throws invalid_request for an unreadable text. */
export async function readText({ stdin, path }: Source, { name }: Options): Promise<string> {
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
    throw new CommandError("invalid_request", `${name} cannot be read from ${from}: ${reasonOf(cause)}.`, { cause });
  }
  if (bytes > maxBytes) {
    throw new CommandError("invalid_request", `${name} in ${from} is not a text: it is too long. Give a text.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new CommandError("invalid_request", `${name} in ${from} is not UTF-8. Save it as UTF-8.`, { cause });
  }
}

/** Returns the reason of a file system error in words. */
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
      return "you have no permission to read it";
    default:
      return code || (error instanceof Error ? error.message : String(error));
  }
}
