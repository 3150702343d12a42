#!/usr/bin/env node
import { run } from "./program.ts";

process.exitCode = await run(
  { env: process.env, print: (line) => process.stdout.write(`${line}\n`) },
  process.argv.slice(2),
  (text) => process.stderr.write(text),
);
