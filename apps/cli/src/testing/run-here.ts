import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { run } from "../run.ts";
import type { Env } from "./start-cli.ts";

/** Runs `video-to-json` in this process, with streams that are no terminals, to its end. */
export async function runHere(words: readonly string[], env: Env, input: string | Readable = "") {
  const stdin = typeof input === "string" ? Readable.from(input === "" ? [] : [Buffer.from(input)]) : input;
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const surroundings = { env, platform: process.platform, home: env.HOME ?? "/nowhere", process, stdin, ...streams };
  const code = await run(surroundings, words);
  streams.stdout.end();
  streams.stderr.end();
  return { code, stdout: await text(streams.stdout), stderr: await text(streams.stderr) };
}
