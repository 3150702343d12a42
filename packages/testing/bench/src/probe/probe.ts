import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Benchmark, Run } from "../benchmark.ts";
import { median } from "../median.ts";
import { findFfprobe } from "../overhead/find-ffprobe.ts";
import { forkScript } from "../processes/fork-script.ts";
import { forgetPeak, residentBytes, watchDescendants } from "../processes/memory.ts";
import type { Figure, Measurement } from "../report/figure.ts";
import { containers, makeLargeVideo } from "../videos.ts";

/** Measuring large videos in each container, beside one plain run of ffprobe over all packets. */
export const probe: Benchmark = {
  name: "probe",
  title: "Probe",
  how: "the length of a video of 500 MB and ten minutes, from all of its packets, beside one plain run of ffprobe",
  measure: measureProbe,
};

const goals = { seconds: 2.5, megabytes: 150 } as const;

async function measureProbe({ dataDir, quick, tell }: Run): Promise<Measurement> {
  const megabytes = quick ? 20 : 500;
  const rounds = quick ? 2 : 5;
  const ffprobe = await findFfprobe();
  const script = forkScript<{ path: string }, number>(new URL("./measure-file.ts", import.meta.url));
  const figures: Figure[] = [];
  try {
    for (const container of containers) {
      tell(`Measuring ${megabytes} MB of ${container} …`);
      const video = await makeLargeVideo(dataDir, { name: container, megabytes, seconds: 590, container });
      const seconds: { plain: number[]; measured: number[] } = { plain: [], measured: [] };
      const peaks: { program: number[]; own: number[] } = { program: [], own: [] };
      // The first run compiles code and reads the file into the cache of the system.
      await script.run(video);
      const before = residentBytes(script.pid).now;
      for (let round = 0; round < rounds; round++) {
        seconds.plain.push(await plainRun(ffprobe.path, video.path));
        forgetPeak(script.pid);
        const watch = watchDescendants(script.pid);
        seconds.measured.push((await script.run(video)) / 1000);
        peaks.program.push(watch.stop() / 1e6);
        peaks.own.push((residentBytes(script.pid).peak - before) / 1e6);
      }
      figures.push(
        {
          what: `${container}, time`,
          unit: "s",
          measured: median(seconds.measured),
          beside: { what: "plain ffprobe", measured: median(seconds.plain) },
          goal: { of: "measured", most: goals.seconds },
        },
        {
          what: `${container}, memory: ffprobe, and growth of the process that reads it`,
          unit: "MB",
          measured: Math.max(...peaks.program) + Math.max(0, ...peaks.own),
          goal: { of: "measured", most: goals.megabytes },
        },
      );
      await rm(video.path);
    }
  } finally {
    script.stop();
  }
  const build = ffprobe.isMinimal ? "minimal build" : "the machine's own";
  return {
    figures,
    conditions: [`${megabytes} MB each`, `ffprobe ${ffprobe.version} (${build})`, `median of ${rounds} turns`],
  };
}

async function plainRun(ffprobe: string, path: string): Promise<number> {
  const startedAt = performance.now();
  const entries = "packet=codec_type,stream_index,pts_time,dts_time,duration_time,size,pos,flags";
  const options = ["-v", "error", "-of", "compact", "-show_entries", entries];
  await promisify(execFile)(ffprobe, [...options, path], { maxBuffer: 2 ** 30 });
  return (performance.now() - startedAt) / 1000;
}
