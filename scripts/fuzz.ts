import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type FuzzReport,
  fuzzApi,
  removedWithUs,
  removeStackData,
  repositoryRoot,
  stackDirectories,
  startStack,
} from "@video-to-json/testing/running";
import { numberOption } from "./command-line/number-option.ts";
import { runCommand } from "./command-line/run-command.ts";
import { fuzzVideos } from "./fuzzing/fuzz-videos.ts";

const usage = `Usage: ./scripts/fuzz [--requests N | --videos N] [--seed N] [--clients N] [--json]
  Sends odd requests to a running service, with honest ones beside them: forms, JSON, headers, paths, sketches,
  JSON Schemas and MCP messages, whole and mangled.
  --requests N  that many (default 20000)
  --videos N    damages that many real videos instead, and measures and converts each as a worker does
  --seed N      the requests or videos of that seed (default: another each time)
  --clients N   so many at once (default 2)
Ends with 1 when one was answered with 500 or more, without an Error body or not at all, when the API ended, when its
memory stayed more than a fifth above what it was, or when the p99 of honest requests was three times what it was; of
videos, when one ended with anything but its measure or a code, took more than a minute or left a file.`;

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
      const tell = (done: number) => console.error(`${done} of ${videos}`);
      const report = await fuzzVideos({ folder: dataDir, seed: numbers.seed, videos, tell });
      console.log(JSON.stringify(report, null, values.json ? 0 : 2));
      return report.violations.length > 0 ? 1 : 0;
    }
    const { report, died } = await fuzz(dataDir, numbers);
    const faults = [...report.violations, ...died, ...costs(report)];
    console.log(values.json ? JSON.stringify({ ...report, faults }) : table(report, faults));
    return faults.length > 0 ? 1 : 0;
  } finally {
    await removeStackData(dataDir);
    isRemoved();
  }
}

async function fuzz(dataDir: string, numbers: { requests: number; seed: number; clients: number }) {
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
    const died: string[] = [];
    for (const part of stack.parts) void part.ended.then((how) => died.push(`${part.name} ended: ${how}`));
    const report = await fuzzApi({
      port: Number(new URL(stack.baseUrl).port),
      pid: api.pid,
      key: stack.apiKey,
      ...numbers,
      tell: (done) => console.error(`${done} of ${numbers.requests}`),
    });
    return { report, died: [...died] };
  } finally {
    await stack.stop();
  }
}

function costs({ honest, memory }: FuzzReport): string[] {
  return [
    ...(honest.failed > 0 ? [`${honest.failed} honest requests failed`] : []),
    ...(honest.besideP99 > 3 * honest.idleP99 ? ["honest requests took more than three times as long"] : []),
    ...(memory.after > 1.2 * memory.before ? ["memory stayed more than a fifth above what it was"] : []),
  ];
}

function table({ seed, requests, seconds, answers, honest, memory }: FuzzReport, faults: string[]): string {
  const counts = Object.entries(answers).map(([status, count]) => `${status}: ${count}`);
  const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
  return [
    `Seed ${seed}: ${requests} requests in ${seconds.toFixed(0)} s`,
    `Answers   ${counts.join(", ")}`,
    `Honest    p99 ${honest.idleP99.toFixed(1)} ms before, ${honest.besideP99.toFixed(1)} ms beside`,
    `Memory    ${mebibytes(memory.before)} before, ${mebibytes(memory.after)} after`,
    ...(faults.length > 0 ? ["Faults", ...faults.map((fault) => `  ${fault}`)] : ["No faults."]),
  ].join("\n");
}
