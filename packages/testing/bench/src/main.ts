import { parseCommand, runCommand } from "@video-to-json/testing";
import { benchmarks } from "./benchmarks.ts";
import { drawDocuments } from "./documents.ts";
import { runBenchmarks } from "./run-benchmarks.ts";

const names = benchmarks.map(({ name }) => name);
const width = Math.max(...names.map((name) => name.length)) + 2;

const usage = `Usage: ./scripts/bench [<name>] [--quick] [--save]
Without a name, all benchmarks run in one go, in about 20 minutes, and docs/performance.md is written anew.
${benchmarks.map(({ name, how }) => `  ${name.padEnd(width)}${how}`).join("\n")}
  ${"draw".padEnd(width)}the tables and pictures of docs/performance.md, from the data that is kept
  --quick    smaller, to try a benchmark out; a full run without a name takes two minutes then
  --save     write the figures of one benchmark to docs/performance.md; with --quick too
Ends with 1 when a goal is missed or a benchmark fails.`;

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const parsed = parseCommand(args.some((arg) => !arg.startsWith("-")) ? args : ["all", ...args], {
    usage,
    commands: ["all", "draw", ...names],
    options: {
      quick: { type: "boolean", default: false },
      save: { type: "boolean", default: false },
    },
  });
  if ("exitCode" in parsed) return parsed.exitCode;
  const { command, values } = parsed;
  const { quick, save } = values;
  if (command === "draw") {
    drawDocuments();
    return 0;
  }
  const chosen = benchmarks.filter(({ name }) => command === "all" || name === command);
  return runBenchmarks(chosen, { quick, save: save || (command === "all" && !quick), env: process.env });
}
