import { createReadStream, statSync } from "node:fs";
import { request } from "node:http";
import { pipeline } from "node:stream/promises";
import type { JobStage } from "@video-to-json/contract";
import type { Benchmark, Run } from "../benchmark.ts";
import { createCaller } from "../calls.ts";
import { figure, type Measurement } from "../figure.ts";
import { forgetPeak, residentBytes } from "../processes.ts";
import { forkScript } from "../script.ts";
import { type Service, startService } from "../service.ts";
import { median, timed } from "../times.ts";
import { makeLargeVideo } from "../videos.ts";

/** Sending the largest video to a provider that only reads it, compared with a bare stream of the same file. */
export const provider: Benchmark = {
  name: "provider",
  title: "Towards the provider",
  how: "a job with a video of 2 GiB that a worker downloads, measures and sends from its disk, in turns with a bare stream to the same server",
  measure: measureProvider,
};

const goals = { ratio: 0.8, megabytes: 200 } as const;

async function measureProvider(run: Run): Promise<Measurement> {
  const { quick, tell } = run;
  const rounds = quick ? 1 : 3;
  const megabytes = quick ? 60 : 2060;
  tell(`Making a video of ${megabytes} MB …`);
  const { path, bytes } = await makeLargeVideo(run.dataDir, { megabytes, seconds: 590, container: "mp4" });
  using sink = forkScript<object, string>(new URL("./sink-provider.ts", import.meta.url), [path]);
  const url = await sink.next();
  await using service = await startService(run, {
    workers: 1,
    settings: { FETCH_ALLOW_HOSTS: new URL(url).host },
    provider: { GEMINI_API_KEY: "for-the-sink", GEMINI_BASE_URL: url },
  });
  const speeds = { bare: [] as number[], job: [] as number[] };
  const peaks = { whole: [] as number[], sending: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    tell(`Round ${round + 1} of ${rounds}: a bare stream, then a job …`);
    speeds.bare.push(bytes / 1000 / (await timed(() => sendBare(path, `${url}/bare`))));
    const job = await runJob(service, `${url}/video`);
    speeds.job.push(bytes / 1000 / job.uploadingMs);
    peaks.whole.push(job.peak / 1e6);
    peaks.sending.push(job.sendingPeak / 1e6);
  }
  const memory = (what: string, all: number[]) =>
    figure(`resident memory of the worker at most, ${what}`, "MB", Math.max(...all), { most: goals.megabytes });
  return {
    figures: [
      figure("speed", "MB/s", median(speeds.job), {
        beside: ["bare stream", median(speeds.bare)],
        ratio: { least: goals.ratio },
      }),
      memory("whole job", peaks.whole),
      memory("while it sends", peaks.sending),
    ],
    conditions: [`${(bytes / 2 ** 30).toFixed(2)} GiB`, `median of ${rounds} turns`],
  };
}

async function sendBare(path: string, url: string): Promise<void> {
  const headers = { "content-type": "video/mp4", "content-length": statSync(path).size };
  const sending = request(url, { method: "POST", headers });
  const answered = new Promise((resolve, reject) => {
    sending.once("error", reject).once("response", (response) => response.resume().once("end", resolve));
  });
  await pipeline(createReadStream(path), sending);
  await answered;
}

async function runJob(service: Service, video_url: string) {
  const worker = service.pidOf("worker-1");
  forgetPeak(worker);
  let before = 0;
  let jobId = "";
  let ended = "";
  using caller = createCaller(service);
  const onEvent = (name: string, data: string) => {
    ended = name;
    const { id, stage } = JSON.parse(data) as { id?: string; stage?: JobStage };
    if (name === "admitted") jobId = String(id);
    if (name !== "progress" || stage !== "uploading") return;
    before = residentBytes(worker).peak;
    forgetPeak(worker);
  };
  const { status, text } = await caller.send({ body: { schema: { title: "string" }, video_url }, onEvent });
  if (ended !== "result") throw new Error(`POST /v1/extract answers ${status}, ${ended}: ${text.slice(0, 500)}`);
  const sendingPeak = residentBytes(worker).peak;
  const [row] = await service.db.execute(`select stages->>'uploading' as ms from jobs where id = '${jobId}'`);
  return { uploadingMs: Number(row?.ms), peak: Math.max(before, sendingPeak), sendingPeak };
}
