import { join } from "node:path";
import { inspect, parseArgs } from "node:util";
import { makeStackDirectory, startStack } from "@video-to-json/stack";
import { numberOption, runCommand } from "@video-to-json/testing";
import { repositoryRoot } from "@video-to-json/testing/running";
import { type FuzzReport, findFailures, fuzzApi } from "./fuzz-api.ts";
import { compareVideos, fuzzVideos } from "./fuzz-videos.ts";

const usage = `Usage: ./scripts/fuzz [--requests N | --videos N | --files DIR] [--seed N] [--clients N] [--json]
  Starts the service and sends it generated requests, with valid probe requests beside them: forms, JSON, headers,
  paths, sketches, JSON Schemas, instructions, MCP messages of all versions, clients that close the connection before
  the response, mutations of all these, and bytes that are not HTTP.
  --requests N  number of requests (default 20000)
  --videos N    damage this many videos instead; measure and convert each like a worker
  --files DIR   measure and convert each file of a folder instead, beside the frames that ffprobe decodes
  --seed N      generate the requests or videos from this seed (default: random)
  --clients N   number of clients at once (default 2)
Exit code 1 when a request gets a status of 500 or more, an internal error, no Error body or no response; when a process
ends; when the memory of the API stays more than 20 % higher; when descriptors of the API stay open; or when the p99 of
the probe requests is three times as high. A 503 with provider_unavailable and Retry-After is counted, but no failure.
With --videos, when a video ends with neither a length nor an error code, exceeds its limits, or leaves a file or a
process. With --files, when a file ends so, when a video is accepted of which no picture decodes, or when its length is
shorter than the span of its pictures.`;

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "20000" },
      videos: { type: "string" },
      files: { type: "string" },
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
  const [seed, clients] = [count("--seed", values.seed), count("--clients", values.clients)];
  await using directory = makeStackDirectory(join(repositoryRoot, ".local"), "fuzz-");
  if (values.files !== undefined) {
    const report = await compareVideos({ folder: directory.path, files: values.files });
    return print(values.json, report, report.violations);
  }
  const isOfVideos = values.videos !== undefined;
  const all = count(isOfVideos ? "--videos" : "--requests", values.videos ?? values.requests);
  const onProgress = (done: number, faults: number) =>
    console.error(`${done} of ${all}${faults > 0 ? `, ${faults} failures` : ""}`);
  const options = { seed, clients, onProgress };
  if (isOfVideos) {
    const report = await fuzzVideos({ ...options, folder: directory.path, videos: all });
    return print(values.json, report, report.violations);
  }
  const report = await fuzz(directory.path, { ...options, requests: all });
  return print(values.json, report, findFailures(report));
}

function count(option: string, text: string): number {
  return numberOption(option, text, { min: 1, max: 100_000_000 });
}

type Options = Pick<Parameters<typeof fuzzApi>[0], "seed" | "clients" | "requests" | "onProgress">;

async function fuzz(dataDir: string, options: Options): Promise<FuzzReport> {
  const unlimited = { EXTRACTIONS_PER_MINUTE: "1000000", READS_PER_MINUTE: "1000000", FREE_SECONDS: "1000000" };
  const stack = await startStack({
    ...{ dataDir, apis: 1, workers: 1, detached: false },
    env: { ...process.env, ...unlimited, FETCH_ALLOW_HOSTS: "127.0.0.1:1" },
  });
  try {
    return await fuzzApi({ ...options, service: stack, restMs: 25_000 });
  } finally {
    await stack.stop();
  }
}

function print(asJson: boolean, report: object, failures: readonly string[]): number {
  const whole = { ...report, failures };
  console.log(asJson ? JSON.stringify(whole) : inspect(whole, { depth: null, breakLength: 120 }));
  return failures.length > 0 ? 1 : 0;
}
