import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { run } from "../run.ts";
import { collectOutput } from "./collect-output.ts";
import type { Env, FinishedRun } from "./start-cli.ts";

/** Runs `video-to-json` in this process, with streams that are not terminals, to its end. */
export function runHere(words: readonly string[], env: Env, input: string | Readable = ""): Promise<FinishedRun> {
  return startHere(words, env, input).ended;
}

/** Starts `video-to-json` in this process. `signal` delivers SIGINT or SIGTERM to it, and to nothing else. */
export function startHere(words: readonly string[], env: Env, input: string | Readable = "") {
  const stdin = typeof input === "string" ? Readable.from(input === "" ? [] : [Buffer.from(input)]) : input;
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const signals = new EventEmitter();
  const exit = (): never => {
    throw new Error("A second signal ends the process.");
  };
  const process = Object.assign(signals, { exit }) as unknown as NodeJS.Process;
  const io = { env, platform: globalThis.process.platform, home: env.HOME ?? "/nowhere", process, stdin, ...streams };
  const code = run(io, words);
  const output = collectOutput(streams, code);
  const ended = code.then(async (exitCode): Promise<FinishedRun> => {
    for (const stream of [streams.stdout, streams.stderr]) {
      stream.end();
      await finished(stream);
    }
    return { code: exitCode, stdout: output.stdout(), stderr: output.stderr() };
  });
  return { ended, until: output.until, signal: (name: "SIGINT" | "SIGTERM") => signals.emit(name, name) };
}
