import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Confinement, findConfinement, measure, prepareForProvider } from "@video-to-json/media";
import { ffmpegDirectory } from "@video-to-json/testing";
import { damageBytes, makeContainerVideos } from "@video-to-json/testing/running";

type Options = {
  folder: string;
  seed: number;
  videos: number;
  clients: number;
  onProgress(done: number, faults: number): void;
};

/**
 * Damages real videos, measures each and prepares it for the provider, like a worker. Failures are: a result that is
 * neither a length nor a code for an unusable video, a video that takes longer than a minute, a run of ffmpeg or
 * ffprobe without limits of the operating system, and leftover files or processes.
 */
export async function fuzzVideos({ folder, seed, videos, clients, onProgress }: Options) {
  await mkdir(join(folder, "sources"));
  const sources = await makeContainerVideos(join(folder, "sources"));
  const numbers = Array.from({ length: videos }, (_, index) => index).values();
  const report = { endings: {} as Record<string, number>, longestMs: 0, violations: [] as string[] };
  const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
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
      await writeFile(path, damageBytes(source.bytes, seed + number));
      const begun = performance.now();
      const { ending } = await handle(path, scratch, confinement);
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
      if (done % 100 === 0) onProgress(done, report.violations.length);
    }
  };
  await Promise.all(Array.from({ length: clients }, work)).finally(children.stop);
  const seconds = (performance.now() - started) / 1000;
  report.violations.push(...children.unlimited, ...children.left().map((program) => `left running: ${program}`));
  return { seed, videos, seconds, ...report };
}

/** A file of a folder: what the service says of it, and what ffprobe decodes of its first pictures stream. */
type Compared = { file: string; ending: string; seconds: number | null; frames: number; decodedSeconds: number };

/**
 * Measures each file of a folder and its subfolders, prepares it for the provider, and compares the result with the
 * frames that ffprobe decodes. Failures are: an ending that is neither a length nor a code, a video that is accepted
 * although none of its pictures decodes, or a length that is half a second shorter than the span of its pictures.
 */
export async function compareVideos({ folder, files }: { folder: string; files: string }) {
  const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
  const entries = await readdir(files, { recursive: true, withFileTypes: true });
  const compared: Compared[] = [];
  const violations: string[] = [];
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name);
    const scratch = join(folder, String(compared.length));
    await mkdir(scratch);
    const { ending, seconds } = await handle(path, scratch, confinement);
    const { frames, decodedSeconds } = await decodeWithFfprobe(path);
    compared.push({ file: path, ending, seconds, frames, decodedSeconds });
    if (!usual.has(ending)) violations.push(`${path}: ${ending}`);
    if (seconds !== null && frames === 0) violations.push(`${path}: accepted, but no picture decodes`);
    if (seconds !== null && seconds < decodedSeconds - 0.5)
      violations.push(`${path}: ${seconds} s, but its pictures span ${decodedSeconds} s`);
    await rm(scratch, { recursive: true });
  }
  return { compared, violations };
}

/** Reads the first pictures stream with the ffprobe of the machine. What it cannot read has no frames. */
async function decodeWithFfprobe(path: string): Promise<{ frames: number; decodedSeconds: number }> {
  const options = ["-v", "quiet", "-select_streams", "V:0", "-show_entries", "frame=best_effort_timestamp_time"];
  const run = promisify(execFile)("ffprobe", [...options, "-of", "csv=p=0", path], {
    timeout: 120_000,
    maxBuffer: 2 ** 28,
  });
  const { stdout } = await run.catch(() => ({ stdout: "" }));
  const times = stdout.split("\n").filter((line) => line.trim() !== "");
  const known = times.map((line) => Number.parseFloat(line)).filter(Number.isFinite);
  const span =
    known.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY) - Math.min(...known.slice(0, 1));
  return { frames: times.length, decodedSeconds: known.length > 1 ? span : 0 };
}

const readable = {
  containers: { mp4: "any", webm: "any" },
  videoCodecs: ["h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mjpeg"],
  maxFileBytes: 2 ** 31,
} as const;

const usual = new Set(["measured", "media_unreadable", "video_too_long"]);

type Ending = { ending: string; seconds: number | null };

async function handle(path: string, scratch: string, confinement: Confinement): Promise<Ending> {
  try {
    const video = await measure(path, { maxVideoSeconds: 600, confinement });
    const copy = await prepareForProvider(path, video, { readable, scratchDir: scratch, confinement });
    if (copy.path !== path) await rm(copy.path);
    return { ending: "measured", seconds: video.durationMs / 1000 };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (usual.has(code)) return { ending: code, seconds: null };
    return { ending: error instanceof Error ? `${error.name}: ${error.message}` : String(error), seconds: null };
  }
}

const watched: ReadonlySet<string> = new Set(["ffmpeg", "ffprobe"]);
const everyMs = 50;

/** Polls /proc for ffmpeg and ffprobe of this process, and for their limits of memory, CPU time and files. */
function watchChildren() {
  const unlimited = new Set<string>();
  const programs = () =>
    descendantsOf(process.pid)
      .map((pid) => ({ pid, program: read(pid, "comm").trim() }))
      .filter(({ program }) => watched.has(program));
  const timer = setInterval(() => {
    for (const { pid, program } of programs()) for (const what of unheld(pid)) unlimited.add(`${program}: ${what}`);
  }, everyMs);
  return {
    unlimited,
    left: () => programs().map(({ pid, program }) => `${program} (pid ${pid})`),
    stop: () => clearInterval(timer),
  };
}

function unheld(pid: string): string[] {
  const limits = read(pid, "limits");
  if (limits === "") return [];
  return ["Max cpu time", "Max address space", "Max file size", "Max open files", "Max core file size"]
    .filter((name) => !new RegExp(`^${name} +\\d+ `, "m").test(limits))
    .map((name) => `${name} is unlimited`);
}

/** A program in a process namespace is a child of the command that created the namespace. */
function descendantsOf(pid: number): string[] {
  return childrenOf(pid).flatMap((child) => [child, ...childrenOf(Number(child))]);
}

function childrenOf(pid: number): string[] {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return [];
  return readdirSync(threads).flatMap((thread) => read(`${pid}/task/${thread}`, "children").split(" ").filter(Boolean));
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
