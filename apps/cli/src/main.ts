#!/usr/bin/env node
import { homedir } from "node:os";
import { run } from "./run.ts";

for (const stream of [process.stdout, process.stderr]) {
  // Whoever reads may stop reading (`| head`): that is no failure, and there is nobody left to tell.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    if (stream !== process.stderr) process.stderr.write(`error: the output cannot be written (${error.code}).\n`);
    process.exit(1);
  });
}

// What goes wrong beside the command under way; where in the program that was is nobody's business.
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
