import { runCommand } from "@video-to-json/testing";
import { Argument, Command } from "commander";
import { benchmarks } from "./benchmarks.ts";
import { drawDocuments } from "./documents.ts";
import { runBenchmarks } from "./run-benchmarks.ts";

const names = benchmarks.map(({ name }) => name);
const width = Math.max(...names.map((name) => name.length)) + 2;
const help = `
${benchmarks.map(({ name, how }) => `  ${name.padEnd(width)}${how}`).join("\n")}
  ${"draw".padEnd(width)}the tables and pictures of docs/performance.md, from the data that is kept
Ends with 1 when a goal is missed or a benchmark fails.`;

const program = new Command("./scripts/bench")
  .description(
    "Without a name, all benchmarks run in one go, in about 20 minutes, and docs/performance.md is written anew.",
  )
  .addArgument(new Argument("[name]", "one benchmark, or draw").choices(["draw", ...names]))
  .option("--quick", "smaller, to try a benchmark out; a full run without a name takes two minutes then", false)
  .option("--save", "write the figures of one benchmark to docs/performance.md; with --quick too", false)
  .addHelpText("after", help)
  .action(async (name: string | undefined, { quick, save }: { quick: boolean; save: boolean }) => {
    if (name === "draw") return drawDocuments();
    const chosen = benchmarks.filter((each) => name === undefined || each.name === name);
    const isWhole = name === undefined && !quick;
    process.exitCode = await runBenchmarks(chosen, { quick, save: save || isWhole, env: process.env });
  });

await runCommand(() => program.parseAsync());
