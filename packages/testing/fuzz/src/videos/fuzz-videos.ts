import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { measure, prepareForProvider } from "@video-to-json/media";
import { damageVideo, makeContainerVideos } from "@video-to-json/testing/running";
import { type ChildrenSeen, watchChildren } from "./watch-children.ts";

type Options = {
  folder: string;
  seed: number;
  videos: number;
  clients: number;
  tell(done: number, faults: number): void;
};

/**
 * What was seen: how often each ending, the longest that one video took, the most that one run of ffmpeg or ffprobe
 * used, and what was wrong.
 */
export type VideoReport = {
  seed: number;
  videos: number;
  seconds: number;
  endings: Record<string, number>;
  longestMs: number;
  /** Nothing where the platform has no /proc. */
  programs: Omit<ChildrenSeen, "faults">;
  violations: string[];
};

/**
 * Damages real videos out of a seed, measures each and makes it ready for the model, as a worker does. Wrong is any end
 * but an answer and the codes for a video that cannot be used, one that takes longer than a minute, a run of ffmpeg or
 * ffprobe without limits by the operating system, and a file or a process left.
 */
export async function fuzzVideos({ folder, seed, videos, clients, tell }: Options): Promise<VideoReport> {
  await mkdir(join(folder, "sources"));
  const sources = await makeContainerVideos(join(folder, "sources"));
  const numbers = Array.from({ length: videos }, (_, index) => index).values();
  const report = { endings: {} as Record<string, number>, longestMs: 0, violations: [] as string[] };
  const children = watchChildren();
  const started = performance.now();
  let done = 0;
  const work = async () => {
    for (const number of numbers) {
      const source = sources[number % sources.length];
      if (!source) throw new Error("No video could be made.");
      const scratch = join(folder, String(number));
      await mkdir(scratch);
      const path = join(scratch, "video");
      await writeFile(path, damageVideo(source.bytes, seed + number));
      const begun = performance.now();
      const ending = await handle(path, scratch);
      const ms = performance.now() - begun;
      report.endings[ending] = (report.endings[ending] ?? 0) + 1;
      report.longestMs = Math.max(report.longestMs, ms);
      const left = (await readdir(scratch)).filter((name) => name !== "video");
      const wrong = [
        ...(usual.has(ending) ? [] : [ending]),
        ...(ms > 60_000 ? [`took ${Math.round(ms)} ms`] : []),
        ...(left.length > 0 ? [`left ${left.join(", ")}`] : []),
      ];
      for (const fault of wrong) report.violations.push(`${source.name}, number ${number}: ${fault}`);
      await rm(scratch, { recursive: true });
      done += 1;
      if (done % 100 === 0) tell(done, report.violations.length);
    }
  };
  await Promise.all(Array.from({ length: clients }, work)).finally(children.stop);
  const seconds = (performance.now() - started) / 1000;
  const { faults, ...programs } = children.seen;
  report.violations.push(...new Set(faults), ...children.left().map((program) => `left running: ${program}`));
  return { seed, videos, seconds, ...report, programs };
}

/** A provider that reads MP4 and WebM: all other containers are copied. */
const readable = {
  containers: { mp4: "any", webm: "any" },
  videoCodecs: ["h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mjpeg"],
  maxFileBytes: 2 ** 31,
} as const;

const usual = new Set(["measured", "media_unreadable", "video_too_long"]);

async function handle(path: string, scratch: string): Promise<string> {
  try {
    const video = await measure(path, { maxVideoSeconds: 600 });
    const copy = await prepareForProvider(path, video, { readable, scratchDir: scratch });
    if (copy.path !== path) await rm(copy.path);
    return "measured";
  } catch (error) {
    if (error instanceof Error && "code" in error && usual.has(String(error.code))) return String(error.code);
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
