import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { removeStackData, stackDirectories, startStack } from "@video-to-json/stack";
import { numberOption, runCommand } from "@video-to-json/testing";
import { removedWithUs, repositoryRoot } from "@video-to-json/testing/running";
import { faultsOf } from "./api/faults-of.ts";
import { type FuzzReport, fuzzApi } from "./api/fuzz-api.ts";
import { fuzzVideos, type VideoReport } from "./videos/fuzz-videos.ts";

const usage = `Usage: ./scripts/fuzz [--requests N | --videos N] [--seed N] [--clients N] [--json]
  Sends odd requests to a running service, with honest ones beside them: forms, JSON, headers, paths, sketches,
  JSON Schemas, instructions, messages of MCP in all its versions, callers who hang up on what they asked for, all of
  them also mangled, and what is no HTTP.
  --requests N  that many (default 20000)
  --videos N    damages that many real videos instead, and measures and converts each as a worker does
  --seed N      the requests or videos of that seed (default: another each time)
  --clients N   so many at once (default 2)
Ends with 1 when one was answered with 500 or more, with a fault of ours, without an Error body or not at all, when a
process ended, when the API's memory stayed more than a fifth above what it was, when descriptors of it stayed open, or
when the p99 of honest requests was three times what it was. A 503 that says provider_unavailable and Retry-After is
counted and is no fault. Of videos, when one ended with anything but its measure or a code, took more than its limits
allow or left a file or a process.`;

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "20000" },
      videos: { type: "string" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
      clients: { type: "string", default: "2" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const numbers = {
    requests: numberOption("--requests", values.requests, { least: 1, most: 100_000_000 }),
    seed: numberOption("--seed", values.seed, { least: 1, most: 100_000_000 }),
    clients: numberOption("--clients", values.clients, { least: 1, most: 100_000_000 }),
  };
  const local = join(repositoryRoot, ".local");
  mkdirSync(local, { recursive: true });
  const dataDir = mkdtempSync(join(local, "fuzz-"));
  const isRemoved = removedWithUs(stackDirectories(dataDir));
  try {
    if (values.videos !== undefined) {
      const videos = numberOption("--videos", values.videos, { least: 1, most: 100_000_000 });
      const tell = (done: number, faults: number) => console.error(progress(done, videos, faults));
      const report = await fuzzVideos({ ...numbers, folder: dataDir, videos, tell });
      console.log(values.json ? JSON.stringify(report) : videosTable(report));
      return report.violations.length > 0 ? 1 : 0;
    }
    const report = await fuzz(dataDir, numbers);
    const faults = faultsOf(report);
    console.log(values.json ? JSON.stringify({ ...report, faults }) : table(report, faults));
    return faults.length > 0 ? 1 : 0;
  } finally {
    await removeStackData(dataDir);
    isRemoved();
  }
}

async function fuzz(
  dataDir: string,
  numbers: { requests: number; seed: number; clients: number },
): Promise<FuzzReport> {
  const unlimited = {
    EXTRACTIONS_PER_MINUTE: "1000000",
    READS_PER_MINUTE: "1000000",
    UNAUTHORISED_PER_MINUTE: "1000000",
  };
  const settings = { ...unlimited, FREE_SECONDS: "1000000", FETCH_ALLOW_HOSTS: "127.0.0.1:1" };
  const stack = await startStack({
    ...{ dataDir, apis: 1, workers: 1, detached: false },
    env: { ...process.env, ...settings },
  });
  try {
    const [api] = stack.parts;
    if (!api) throw new Error("No API was started.");
    return await fuzzApi({
      port: Number(new URL(stack.baseUrl).port),
      pid: api.pid,
      endings: stack.parts.map(({ name, ended }) => ended.then((how) => `${name}: ${how}`)),
      key: stack.apiKey,
      ...numbers,
      restMs: 25_000,
      tell: (done, found) => console.error(progress(done, numbers.requests, found)),
    });
  } finally {
    await stack.stop();
  }
}

function table(
  { seed, requests, seconds, kinds, answers, honest, memory, descriptors }: FuzzReport,
  faults: string[],
): string {
  return [
    `Seed ${seed}: ${requests} requests in ${seconds.toFixed(0)} s`,
    `Requests  ${listed(kinds)}`,
    `Answers   ${listed(answers)}`,
    `Honest    p99 ${honest.idleP99.toFixed(1)} ms before, ${honest.besideP99.toFixed(1)} ms beside`,
    `Memory    ${mebibytes(memory.before)} before, ${mebibytes(memory.after)} after`,
    `Open      ${descriptors.before} descriptors before, ${descriptors.after} after`,
    ...listedFaults(faults),
  ].join("\n");
}

function videosTable({ seed, videos, seconds, endings, longestMs, programs, violations }: VideoReport): string {
  const { programs: runs, cpuSeconds, memoryBytes } = programs;
  return [
    `Seed ${seed}: ${videos} damaged videos in ${seconds.toFixed(0)} s`,
    `Endings   ${listed(endings)}`,
    `Longest   ${(longestMs / 1000).toFixed(1)} s for one video`,
    `Programs  ${runs} seen, at most ${cpuSeconds.toFixed(1)} s of CPU and ${mebibytes(memoryBytes)} each`,
    ...listedFaults(violations),
  ].join("\n");
}

function progress(done: number, all: number, faults: number): string {
  return `${done} of ${all}${faults > 0 ? `, ${faults} faults` : ""}`;
}

function listed(counts: Record<string, number>): string {
  const sorted = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name}: ${count}`).join(", ");
}

function listedFaults(faults: readonly string[]): string[] {
  return faults.length > 0 ? ["Faults", ...faults.map((fault) => `  ${fault}`)] : ["No faults."];
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
