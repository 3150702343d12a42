import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";

type Terminal = Pick<Io, "stdin" | "stderr">;

/** Reads a line from a terminal. `hidden` does not show what is typed. Throws interrupted on Ctrl-C and Ctrl-D. */
export async function prompt({ stdin, stderr }: Terminal, question: string, { hidden = false } = {}): Promise<string> {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden ? sink : stderr, terminal: true, historySize: 0 });
  if (hidden) stderr.write(question);
  let answered = false;
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("SIGINT", () => reject(interrupted())).once("close", () => reject(interrupted()));
      lines.question(hidden ? "" : question, (answer) => {
        answered = true;
        resolve(answer);
      });
    });
  } finally {
    lines.close();
    // A visible answer already ended its line on the terminal.
    if (hidden || !answered) stderr.write("\n");
  }
}

const maxBytes = 16 * 1024;

/** Returns the non-empty lines of standard input. Reads 16 KiB at most. */
export async function pipedLines({ stdin }: Pick<Io, "stdin">): Promise<string[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > maxBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function interrupted(): CommandError {
  return new CommandError("interrupted", "Nothing was saved.");
}
