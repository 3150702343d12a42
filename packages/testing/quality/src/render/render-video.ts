import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachedFile, findFont } from "@video-to-json/testing/running";
import type { VideoPlan } from "../cases/case.ts";
import { createFrames } from "./draw-frame.ts";
import { picture } from "./mark-strip.ts";
import { marksOf } from "./marks.ts";
import { makeSoundtrack } from "./soundtrack.ts";
import { type TextFilter, textFilters } from "./text-filters.ts";

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
  await writeFile(join(scratch, "sound.wav"), await makeSoundtrack(plan));
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
  const raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", `${width}x${height}`, "-r", String(perSecond)];
  const filters = ["null", ...texts.map(({ filter }) => filter)].join(",");
  // A key frame every two seconds makes it cheap to cut a clip.
  const video = ["-c:v", "libx264", "-preset", "veryfast", "-tune", "stillimage", "-crf", "24", "-g", "20"];
  const sound = ["-c:a", "aac", "-b:a", "48k"];
  const common = ["-v", "error", "-y", "-threads", "1", ...raw, "-i", "-", "-i", "sound.wav", "-vf", filters];
  return [...common, ...video, "-threads", "1", "-pix_fmt", "yuv420p", ...sound, "-movflags", "+faststart", path];
}

/** Returns the source code that decides what a video looks like. */
function rendererSources(): string[] {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts") && !name.includes(".test."));
  return names.sort().map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
}
