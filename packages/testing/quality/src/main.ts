import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { runCommand } from "@video-to-json/testing";
import { cacheVariable, createTestCache, removeOnExit, repositoryRoot } from "@video-to-json/testing/running";
import { chooseCases } from "./cases/make-case.ts";
import { readCases } from "./cases/read-cases.ts";
import { writeLaboratory } from "./laboratory/write-laboratory.ts";
import { readOptions, usage } from "./options.ts";
import { summarize } from "./report/summarize.ts";
import { writeReport } from "./report/write-report.ts";
import { replayMode } from "./run/columns.ts";
import { runBenchmark } from "./run/run-benchmark.ts";
import { suiteTable, writeReplay } from "./suite/replay.ts";
import { casesOf, chooseVideos, releasedError } from "./suite/suite-case.ts";

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const options = readOptions(args, process.env);
  if (!options) {
    console.log(usage);
    return 0;
  }
  const local = join(repositoryRoot, ".local", "quality");
  const out = options.out ?? join(local, "report");
  const suite = options.suite && chooseVideos(options.suite);
  if (options.isLaboratory) {
    const path = suite ? await writeReplay(out, suite) : await writeLaboratory(out, options.seeds);
    console.log(`The report is in ${path}.`);
    return 0;
  }
  process.env[cacheVariable] ??= await createTestCache();
  const { casesIn } = options;
  const own = suite ? casesOf(suite) : casesIn && readCases(casesIn);
  const { cases, skipped } = own ? { cases: own, skipped: [] } : await chooseCases(options.seeds);
  for (const id of skipped) console.error(`Skipping ${id}: espeak-ng is not installed.`);

  mkdirSync(local, { recursive: true });
  const dataDir = mkdtempSync(join(local, "run-"));
  const resultsFile = options.resultsFile ?? join(dataDir, "results.jsonl");
  mkdirSync(dirname(resultsFile), { recursive: true });
  const isRemoved = removeOnExit([dataDir]);
  try {
    const errors = suite ? { [replayMode]: [releasedError(suite)] } : {};
    const run = { ...options, errors, cases, resultsFile, dataDir, tell: (line: string) => console.error(line) };
    const workers = options.workers ?? Math.max(1, availableParallelism() >> 2);
    const result = await runBenchmark({ ...run, workers, env: serversIn(process.env) });
    const { spent, isComplete } = result;
    const facts = { ...options.facts, skipped, spent, isComplete };
    const path = writeReport(out, summarize(cases, result.results), facts, suite && suiteTable(suite, result.results));
    console.log(`The report is in ${path}.`);
    return isComplete ? 0 : 3;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    isRemoved();
  }
}

/** Servers to use instead of new ones. No other variable of this shell may change the service. */
function serversIn({ DATABASE_URL, REDIS_URL, FFMPEG_DIRECTORY }: NodeJS.ProcessEnv): Record<string, string> {
  const named = { DATABASE_URL, REDIS_URL, FFMPEG_DIRECTORY };
  return Object.fromEntries(Object.entries(named).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
