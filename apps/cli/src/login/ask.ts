import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";

type Terminal = Pick<Io, "stdin" | "stderr">;

/** Asks for a line on a terminal. What is `hidden` is not shown while it is typed. Throws interrupted on Ctrl-C and Ctrl-D. */
export async function ask({ stdin, stderr }: Terminal, question: string, { hidden = false } = {}): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden ? unseen : stderr, terminal: true, historySize: 0 });
  if (hidden) stderr.write(question);
  let answered = false;
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("SIGINT", () => reject(givenUp())).once("close", () => reject(givenUp()));
      lines.question(hidden ? "" : question, (answer) => {
        answered = true;
        resolve(answer);
      });
    });
  } finally {
    lines.close();
    // What is typed shows its own end of line; what is not shown, or not ended, does not.
    if (hidden || !answered) stderr.write("\n");
  }
}

const mostBytes = 16 * 1024;

/** The lines that are piped in, without empty ones; at most 16 KiB are read. */
export async function pipedLines({ stdin }: Pick<Io, "stdin">): Promise<string[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > mostBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, mostBytes).toString("utf8");
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function givenUp(): Refusal {
  return new Refusal("interrupted", "Nothing was kept.");
}
