import { openDatabase } from "@video-to-json/database";
import { type Stack, startStack } from "@video-to-json/stack";
import type { Benchmark, Run } from "../benchmark.ts";
import { median } from "../median.ts";
import { createStageReader } from "../overhead/read-events.ts";
import { forkScript } from "../processes/fork-script.ts";
import { forgetPeak, residentBytes } from "../processes/memory.ts";
import type { Measurement } from "../report/figure.ts";
import { makeLargeVideo } from "../videos.ts";

/** Sending the largest video to a provider that only reads it, compared with a bare stream of the same file. */
export const provider: Benchmark = {
  name: "provider",
  title: "Towards the provider",
  how: "a job with a video of 2 GiB that a worker downloads, measures and sends from its disk, in turns with a bare stream to the same server",
  measure: measureProvider,
};

const goals = { ratio: 0.8, megabytes: 200 } as const;

async function measureProvider({ dataDir, env, quick, tell }: Run): Promise<Measurement> {
  const rounds = quick ? 1 : 3;
  const megabytes = quick ? 60 : 2060;
  tell(`Making a video of ${megabytes} MB …`);
  const { path, bytes } = await makeLargeVideo(dataDir, { name: "large", megabytes, seconds: 590, container: "mp4" });
  const sink = forkScript<object, string>(new URL("./sink-provider.ts", import.meta.url), { args: [path] });
  const bare = forkScript<{ path: string; url: string }, number>(new URL("./send-bare.ts", import.meta.url));
  try {
    const url = await sink.next();
    const settings = { GEMINI_API_KEY: "for-the-sink", GEMINI_BASE_URL: url, FETCH_ALLOW_HOSTS: new URL(url).host };
    const stack = await startStack({ dataDir, apis: 1, workers: 1, env: { ...env, ...settings }, detached: false });
    try {
      const speeds: { bare: number[]; job: number[] } = { bare: [], job: [] };
      const peaks: { whole: number[]; uploading: number[] } = { whole: [], uploading: [] };
      for (let round = 0; round < rounds; round++) {
        tell(`Round ${round + 1} of ${rounds}: a bare stream, then a job …`);
        speeds.bare.push(bytes / 1000 / (await bare.run({ path, url: `${url}/bare` })));
        const job = await runJob(stack, `${url}/video`);
        speeds.job.push(bytes / 1000 / job.uploadingMs);
        peaks.whole.push(job.peakMb);
        peaks.uploading.push(job.uploadingPeakMb);
      }
      const memory = (what: string, all: number[]) => ({
        what: `resident memory of the worker at most, ${what}`,
        unit: "MB",
        measured: Math.max(...all),
        goal: { of: "measured", most: goals.megabytes } as const,
      });
      return {
        figures: [
          {
            what: "speed",
            unit: "MB/s",
            measured: median(speeds.job),
            beside: { what: "bare stream", measured: median(speeds.bare) },
            goal: { of: "ratio", least: goals.ratio },
          },
          memory("whole job", peaks.whole),
          memory("while it sends", peaks.uploading),
        ],
        conditions: [`${(bytes / 2 ** 30).toFixed(2)} GiB`, `median of ${rounds} turns`],
      };
    } finally {
      await stack.stop();
    }
  } finally {
    bare.stop();
    sink.stop();
  }
}

/** Runs one job. Returns how long it sent the video, and the peaks of its worker in megabytes. */
async function runJob(
  stack: Stack,
  videoUrl: string,
): Promise<{ uploadingMs: number; peakMb: number; uploadingPeakMb: number }> {
  const worker = stack.processes.find(({ name }) => name === "worker-1")?.pid ?? 0;
  forgetPeak(worker);
  let before = 0;
  const read = createStageReader(stack);
  const jobId = await read({ schema: { title: "string" }, video_url: videoUrl }, (stage) => {
    if (stage !== "uploading") return;
    before = residentBytes(worker).peak;
    forgetPeak(worker);
  });
  const uploading = residentBytes(worker).peak;
  const database = openDatabase(stack.databaseUrl, { maxConnections: 1, applicationName: "bench" });
  try {
    const [row] = await database.db.execute(`select stages->>'uploading' as ms from jobs where id = '${jobId}'`);
    return {
      uploadingMs: Number(row?.ms),
      peakMb: Math.max(before, uploading) / 1e6,
      uploadingPeakMb: uploading / 1e6,
    };
  } finally {
    await database.close();
  }
}
