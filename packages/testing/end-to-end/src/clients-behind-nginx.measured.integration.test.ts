import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Service, startService } from "@video-to-json/stack/service";
import { repositoryRoot, startNginx } from "@video-to-json/testing";
import { createClient } from "video-to-json";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPython } from "./sdk-cases/find-python.ts";

const run = promisify(execFile);
const python = await findPython(["httpx"]);
// The service sends something every 5 s. Each job takes longer than nginx's time-out.
const size = { calls: 10, jobSeconds: 30, nginxSeconds: 10 };

const opened = new AsyncDisposableStack();
let service: Service;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "v2j-behind-nginx-"));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const many = { MAX_JOBS_PER_ACCOUNT: "100", WORKER_CONCURRENCY: "100", GLOBAL_CONCURRENCY: "100" };
  service = opened.use(await startService({ env: { FREE_SECONDS: "36000", ...many } }));
});
afterAll(() => opened.disposeAsync());

/** Starts an nginx as documented, with a shorter time-out, a log of its requests, and further directives. */
async function openNginx(name: string, further: string) {
  const documented = await readFile(join(repositoryRoot, "infra/proxies/nginx.conf"), "utf8");
  const log = join(directory, `${name}.log`);
  const directives = documented.replace(
    /proxy_read_timeout \d+s;/,
    `proxy_read_timeout ${size.nginxSeconds}s; access_log ${log}; ${further}`,
  );
  const nginx = await startNginx({ directives, upstreamPort: Number(new URL(service.baseUrl).port) });
  const requests = async () => (await readFile(log, "utf8")).match(/"[A-Z]+ \S+ HTTP\/[\d.]+" \d+/g) ?? [];
  return { url: nginx.url, requests, [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose]() };
}

const sketch = { main_color: "red|green|blue" } as const;

async function callInTypeScript(baseUrl: string) {
  const stages: string[] = [];
  const { data } = await createClient({ apiKey: service.apiKey, baseUrl }).extract({
    video: service.video,
    schema: sketch,
    onProgress: (progress) => {
      const stage = progress.stage === "waiting" ? progress.job?.stage : undefined;
      if (stage !== undefined && stages.at(-1) !== stage) stages.push(stage);
    },
  });
  return { colour: data.main_color, stages };
}

const pythonCall = `
import asyncio, json, sys
from video_to_json import AsyncClient, Client, Waiting

stages = []
def report(progress):
    stage = progress.job_stage if isinstance(progress, Waiting) else None
    if stage is not None and stages[-1:] != [stage]:
        stages.append(stage)

request = dict(video=sys.argv[1], schema={"main_color": "red|green|blue"}, on_progress=report)
if sys.argv[2] == "sync":
    answer = Client().extract(**request)
else:
    answer = asyncio.run(AsyncClient().extract(**request))
print(json.dumps({"colour": answer.data["main_color"], "stages": stages}))
`;

async function callInPython(baseUrl: string, half: "sync" | "async") {
  const { stdout } = await run(python, ["-c", pythonCall, service.video, half], {
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: join(repositoryRoot, "packages/sdk-python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
      VIDEO_TO_JSON_URL: baseUrl,
      VIDEO_TO_JSON_API_KEY: service.apiKey,
    },
  });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof callInTypeScript>>;
}

test("calls of both clients that last longer than nginx waits are answered: one upload and one charge each", async () => {
  // nginx's compression holds everything back until the response ends.
  const keepsBack = `proxy_ignore_headers X-Accel-Buffering; gzip on; gzip_proxied any; gzip_types text/event-stream;`;
  await using passing = await openNginx("passing", "");
  await using keeping = await openNginx("keeping", keepsBack);
  const ways = [
    { nginx: passing, half: "sync" },
    { nginx: keeping, half: "async" },
  ] as const;
  const calls = ways.flatMap(({ nginx, half }) =>
    Array.from({ length: size.calls }, () => [
      () => callInTypeScript(nginx.url),
      ...(python === "" ? [] : [() => callInPython(nginx.url, half)]),
    ]).flat(),
  );
  const latency = { on: "generate", kind: "latency", ms: size.jobSeconds * 1000, times: calls.length };
  await service.emulator.setFaults([latency]);
  const before = await service.secondsRemaining();
  const answers = await Promise.all(calls.map((call) => call()));
  expect(answers.map(({ colour }) => colour)).toEqual(answers.map(() => "red"));
  expect(before - (await service.secondsRemaining())).toBe(60 * calls.length);
  const half = calls.length / 2;
  for (const { stages } of answers.slice(0, half)) expect(stages).toEqual(expect.arrayContaining(["analysing"]));
  for (const { nginx } of ways)
    expect(await nginx.requests()).toEqual(Array.from({ length: half }, () => '"POST /v1/extract HTTP/1.1" 200'));
});
