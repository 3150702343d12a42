#!/usr/bin/env node
import { createProgram } from "./program.ts";
import { tellError } from "./tell-error.ts";

const program = createProgram({ env: process.env, print: (line) => console.log(line) });

try {
  await program.parseAsync();
} catch (error) {
  console.error(tellError(error));
  process.exitCode = 1;
}
