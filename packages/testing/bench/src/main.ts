import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { removeStackData, stackDirectories } from "@video-to-json/stack";
import { numberOption, parseCommand, runCommand } from "@video-to-json/testing";
import { removeOnExit, repositoryRoot } from "@video-to-json/testing/running";
import { admissionTable, measureAdmission } from "./admission.ts";
import { measureMoney, moneyTable } from "./money.ts";
import { goalsOf } from "./overhead/goals.ts";
import { measureOverhead } from "./overhead/measure-overhead.ts";
import { overheadTable } from "./overhead/overhead-table.ts";
import { readJob } from "./read-job.ts";
import { readJobTable } from "./read-job-table.ts";
import { measureUpload, uploadTable } from "./upload/upload.ts";

const benchmarks = ["read-job", "money", "admission", "overhead", "upload"] as const;
// Half a minute for each half at 1 in flight, and six rounds of the provider at 20 and at 100.
const overheadLevels = [
  { inFlight: 1, jobs: 10 },
  { inFlight: 20, jobs: 120 },
  { inFlight: 100, jobs: 600 },
];

const usage = `Usage: ./scripts/bench read-job|money|admission|overhead|upload [--jobs N] [--requests N] [--workers N]
                       [--megabytes N] [--json]
  read-job     GET /v1/jobs/{id}, and the list of recent jobs, on a table of a million jobs and on an empty one
  money        GET /v1/me, admission and hold of accounts with 1,000 to 1,000,000 ledger rows
  admission    5,000 requests of 1,000 accounts within three seconds, and GET /v1/me of another account meanwhile
  overhead     whole extractions at 1, 20 and 100 in flight, beside a bare script: times, throughput, processor time
  upload       uploads of 512 MiB, one and eight at once, beside a server that only pipes the same bytes to a file
  --jobs N     that many jobs in the table of read-job (1000 or more)
  --requests N that many measured requests a figure (default 3000; admission: 5000)
  --workers N  that many workers for overhead (default 2)
  --megabytes N
               MiB of each upload (default 512)
Ends with 1 when a job is not read within 5 ms (p50, one request at a time), or when a step on a long ledger takes more
than 1.5 times as long as on one of 1,000 rows (p50), or when admission, overhead or upload miss one of the
goals that they print.`;

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const parsed = parseCommand(args, {
    usage,
    commands: benchmarks,
    options: {
      jobs: { type: "string", default: "1000000" },
      requests: { type: "string" },
      workers: { type: "string", default: "2" },
      megabytes: { type: "string", default: "512" },
      json: { type: "boolean", default: false },
    },
  });
  if ("exitCode" in parsed) return parsed.exitCode;
  const { command, values } = parsed;
  const jobs = numberOption("--jobs", values.jobs, { min: 1000, max: 100_000_000 });
  const given = values.requests ?? (command === "admission" ? "5000" : "3000");
  const requests = numberOption("--requests", given, { min: 100, max: 100_000_000 });
  const workers = numberOption("--workers", values.workers, { min: 1, max: 100 });
  const megabytes = numberOption("--megabytes", values.megabytes, { min: 1, max: 512 });

  mkdirSync(join(repositoryRoot, ".local"), { recursive: true });
  const dataDir = mkdtempSync(join(repositoryRoot, ".local", "bench-"));
  const isRemoved = removeOnExit(stackDirectories(dataDir));
  try {
    if (command === "money") {
      const result = await measureMoney({ dataDir, env: process.env, requests, tell: console.error });
      console.log(values.json ? JSON.stringify(result) : moneyTable(result));
      return result.good ? 0 : 1;
    }
    if (command === "admission") {
      const result = await measureAdmission({ dataDir, env: process.env, requests, tell: console.error });
      console.log(values.json ? JSON.stringify(result) : admissionTable(result));
      return result.good ? 0 : 1;
    }
    if (command === "overhead") {
      const options = {
        dataDir,
        env: process.env,
        workers,
        warmUpJobs: 200,
        restMs: 10_000,
        latencyMs: 5000,
        levels: overheadLevels,
      };
      const result = await measureOverhead({ ...options, tell: console.error });
      const goals = goalsOf(result);
      console.log(values.json ? JSON.stringify({ ...result, goals }) : overheadTable(result));
      return goals.every(({ met }) => met) ? 0 : 1;
    }
    if (command === "upload") {
      const result = await measureUpload({ dataDir, env: process.env, megabytes, tell: console.error });
      console.log(values.json ? JSON.stringify(result) : uploadTable(result));
      return result.good ? 0 : 1;
    }
    const result = await readJob({ dataDir, env: process.env, jobs, requests, tell: console.error });
    console.log(values.json ? JSON.stringify(result) : readJobTable(result));
    return result.good ? 0 : 1;
  } finally {
    await removeStackData(dataDir);
    isRemoved();
  }
}
