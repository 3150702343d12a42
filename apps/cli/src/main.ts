#!/usr/bin/env node
import { homedir } from "node:os";
import { run } from "./run.ts";

for (const stream of [process.stdout, process.stderr]) {
  // The reader may close the pipe early, as `| head` does. That is not an error.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    if (stream !== process.stderr) process.stderr.write(`error: writing the output failed (${error.code}).\n`);
    process.exit(1);
  });
}

// Errors outside the running command: print the message without a stack trace.
process.on("uncaughtException", (error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

process.exitCode = await run(
  {
    env: process.env,
    platform: process.platform,
    home: homedir(),
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    process,
  },
  process.argv.slice(2),
);
