import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachedFile, findFont } from "@video-to-json/testing/running";
import type { Show, VideoPlan } from "../cases/case.ts";
import { createFrames } from "./draw-frame.ts";
import { marksOf, picture, strip } from "./marks.ts";
import { makeSoundtrack, samplesPerSecond } from "./soundtrack.ts";

/** Returns the video of a plan as an MP4 file. It comes from the test cache when the same plan was rendered before. */
export async function renderVideo(plan: VideoPlan): Promise<Buffer> {
  const scratch = await mkdtemp(join(tmpdir(), "quality-video-"));
  const path = join(scratch, "video.mp4");
  try {
    await cachedFile(JSON.stringify([plan, rendererSources()]), path, () => render(plan, scratch, path));
    return await readFile(path);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function render(plan: VideoPlan, scratch: string, path: string): Promise<void> {
  const font = findFont();
  const texts = font === undefined ? [] : textFilters(plan, font);
  await writeFile(join(scratch, "sound.raw"), await makeSoundtrack(plan));
  for (const { file, text } of texts) await writeFile(join(scratch, file), text);
  const running = spawn("ffmpeg", ffmpegArgs(texts, path), { cwd: scratch, stdio: ["pipe", "ignore", "pipe"] });
  const ended = once(running, "close");
  let errors = "";
  running.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  running.stdin.on("error", () => {});
  const frameAt = createFrames(plan, marksOf(plan));
  const count = Math.round((plan.durationMs / 1000) * picture.perSecond);
  for (let index = 0; index < count && running.exitCode === null; index++) {
    if (!running.stdin.write(Buffer.from(frameAt(index)))) {
      await Promise.race([once(running.stdin, "drain"), ended]);
    }
  }
  running.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`ffmpeg cannot render the video of a case: ${errors.trim()}`);
}

function ffmpegArgs(texts: readonly TextFilter[], path: string): string[] {
  const { width, height, perSecond } = picture;
  const raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", `${width}x${height}`, "-r", String(perSecond)];
  const heard = ["-f", "s16le", "-ar", String(samplesPerSecond), "-ac", "1", "-i", "sound.raw"];
  const filters = ["format=yuv420p", ...texts.map(({ filter }) => filter)].join(",");
  // A key frame every two seconds makes it cheap to cut a clip.
  const video = ["-c:v", "libx264", "-preset", "veryfast", "-tune", "stillimage", "-crf", "24", "-g", "20"];
  const sound = ["-c:a", "aac", "-b:a", "48k"];
  const common = ["-v", "error", "-y", "-threads", "1", ...raw, "-i", "-", ...heard, "-vf", filters];
  return [...common, ...video, "-threads", "1", "-pix_fmt", "yuv420p", ...sound, "-movflags", "+faststart", path];
}

function rendererSources(): string[] {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && !name.includes(".test."));
  return names.sort().map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
}

/** A text to draw: the name of its file, what the file contains, and the filter that draws it. */
type TextFilter = { file: string; text: string; filter: string };

const margin = 6;

function textFilters(plan: VideoPlan, font: string): TextFilter[] {
  const shown = plan.events.flatMap(({ startMs, endMs, shows }) =>
    shows.map((show) => ({ show, when: `gte(t,${startMs / 1000})*lt(t,${endMs / 1000})` })),
  );
  return shown.flatMap(({ show, when }, index): TextFilter[] => {
    const file = `text-${index}.txt`;
    const common = `fontfile='${font}':fontcolor=white:box=1:boxcolor=black:boxborderw=3:enable='${when}'`;
    if (show.kind === "text") {
      const place = `x=(w-text_w)/2:y=${top(show)}`;
      const filter = `drawtext=textfile=${file}:expansion=none:fontsize=${show.size}:${place}:${common}`;
      return [{ file, text: show.text, filter }];
    }
    if (show.kind !== "clock") return [];
    const place = `x=w-text_w-${margin}:y=${strip.top - 22}`;
    const text = `%{pts:gmtime:${show.from}:%H\\:%M\\:%S}`;
    return [{ file, text, filter: `drawtext=textfile=${file}:expansion=normal:fontsize=14:${place}:${common}` }];
  });
}

function top({ size, place }: Show & { kind: "text" }): number {
  if (place === "top") return margin;
  return place === "middle" ? Math.round(strip.top / 2 - size) : strip.top - size - margin;
}
