import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Benchmark, Run } from "../benchmark.ts";
import { type Figure, figure, type Measurement } from "../figure.ts";
import { forgetPeak, residentBytes, watchDescendants } from "../processes.ts";
import { forkScript } from "../script.ts";
import { median, timed } from "../times.ts";
import { containers, findFfprobe, makeLargeVideo } from "../videos.ts";

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
  using script = forkScript<{ path: string }, number>(new URL("./measure-file.ts", import.meta.url));
  const figures: Figure[] = [];
  for (const container of Object.keys(containers) as (keyof typeof containers)[]) {
    tell(`Measuring ${megabytes} MB of ${container} …`);
    const video = await makeLargeVideo(dataDir, { megabytes, seconds: 590, container });
    const seconds = { plain: [] as number[], measured: [] as number[] };
    const peaks = { program: [] as number[], own: [] as number[] };
    // The first run compiles code and reads the file into the cache of the system.
    await script.run(video);
    const before = residentBytes(script.pid).now;
    for (let round = 0; round < rounds; round++) {
      seconds.plain.push((await timed(() => plainRun(ffprobe.path, video.path))) / 1000);
      forgetPeak(script.pid);
      const watch = watchDescendants(script.pid);
      seconds.measured.push((await script.run(video)) / 1000);
      peaks.program.push(watch.stop() / 1e6);
      peaks.own.push((residentBytes(script.pid).peak - before) / 1e6);
    }
    const memory = Math.max(...peaks.program) + Math.max(0, ...peaks.own);
    figures.push(
      figure(`${container}, time`, "s", median(seconds.measured), {
        beside: ["plain ffprobe", median(seconds.plain)],
        most: goals.seconds,
      }),
      figure(`${container}, memory: ffprobe, and growth of the process that reads it`, "MB", memory, {
        most: goals.megabytes,
      }),
    );
    await rm(video.path);
  }
  return { figures, conditions: [`${megabytes} MB each`, `ffprobe ${ffprobe.version}`, `median of ${rounds} turns`] };
}

function plainRun(ffprobe: string, path: string) {
  const entries = "packet=codec_type,stream_index,pts_time,dts_time,duration_time,size,pos,flags";
  const options = ["-v", "error", "-of", "compact", "-show_entries", entries];
  return promisify(execFile)(ffprobe, [...options, path], { maxBuffer: 2 ** 30 });
}
