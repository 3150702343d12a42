import { numberOption, parseCommand, runCommand } from "@video-to-json/testing";
import { benchmarks } from "./benchmarks.ts";
import { drawDocuments } from "./report/draw-documents.ts";
import { runBenchmarks } from "./run-benchmarks.ts";
import { runSimulation } from "./simulate/run-simulation.ts";

const names = benchmarks.map(({ name }) => name);
const width = Math.max(...names.map((name) => name.length)) + 2;

const usage = `Usage: ./scripts/bench [<name>] [--quick] [--save] [--json] [--seed N]
Without a name, all benchmarks run in one go, in about 20 minutes, and docs/performance.md is written anew.
${benchmarks.map(({ name, how }) => `  ${name.padEnd(width)}${how}`).join("\n")}
  ${"simulate".padEnd(width)}10, 100 and 1,000 times the load of this machine, simulated from its service times; writes docs/scale.md
  ${"check".padEnd(width)}the simulation beside a measured run of the same jobs
  ${"draw".padEnd(width)}tables and pictures of docs/performance.md and docs/scale.md, from the data that is kept
  --quick    smaller, to try a benchmark out; a full run without a name takes two minutes then
  --save     write the figures of one benchmark to docs/performance.md; with --quick too
  --json     print the figures as JSON
  --seed N   the seed of the simulation (default 1)
Ends with 1 when a goal is missed or a benchmark fails.`;

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const parsed = parseCommand(args.some((arg) => !arg.startsWith("-")) ? args : ["all", ...args], {
    usage,
    commands: ["all", "simulate", "check", "draw", ...names],
    options: {
      quick: { type: "boolean", default: false },
      save: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
    },
  });
  if ("exitCode" in parsed) return parsed.exitCode;
  const { command, values } = parsed;
  const { quick, save, json } = values;
  const seed = numberOption("--seed", values.seed, { min: 1, max: 2 ** 31 - 1 });
  if (command === "draw") {
    drawDocuments();
    return 0;
  }
  if (command === "simulate" || command === "check") {
    return runSimulation({ check: command === "check", seed, quick, json, save: save || !quick, env: process.env });
  }
  const chosen = benchmarks.filter(({ name }) => command === "all" || name === command);
  return runBenchmarks(chosen, { quick, json, save: save || (command === "all" && !quick), env: process.env });
}
