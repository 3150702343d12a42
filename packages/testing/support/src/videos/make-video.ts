import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ffmpeg, ffmpegHas } from "./ffmpeg.ts";

const fonts = [
  "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
  "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf",
  "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf",
  "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf",
  "/System/Library/Fonts/Supplemental/Arial Bold.ttf",
  "/System/Library/Fonts/Helvetica.ttc",
];

/** Returns the path of a bold font with which ffmpeg can draw text, or undefined if no known one is installed. */
export function findFont(): string | undefined {
  return fonts.find((file) => existsSync(file));
}

/** One scene: a plain colour, with text, sound and movement. */
type SceneSpec = {
  seconds: number;
  /** A colour of ffmpeg: a name or `0xRRGGBB`. */
  color: string;
  /** Text in the middle of the picture, where a font is installed and ffmpeg can draw it. */
  text?: string;
  /** A tone of 440 Hz, or silence (the default). */
  sound?: "tone" | "silence";
  /** A small white square crosses the picture, so that it is not frozen. */
  moving?: boolean;
};

/** A video to make: its scenes, with hard cuts between them. By default 320 × 240 pixels, 25 frames per second. */
export type VideoSpec = {
  scenes: readonly SceneSpec[];
  width?: number;
  height?: number;
  fps?: number;
  /** Omits the sound track. By default there is one, even when all scenes are silent. */
  withoutSound?: boolean;
  /** Samples per second: 44,100 by default. Most of the time to encode a long clip goes into its sound. */
  soundRate?: number;
};

/** The facts of a video that was made. Times are seconds from its start. */
export type VideoTruth = {
  durationMs: number;
  cuts: number[];
  scenes: { start: number; end: number; color: string; text: string | null; sound: "tone" | "silence" }[];
};

/** Writes an H.264/AAC video to a path, whose extension selects the container. Returns the facts of the video. */
export async function makeVideo(spec: VideoSpec, path: string): Promise<VideoTruth> {
  const font = (await ffmpegHas("filter", "drawtext")) ? findFont() : undefined;
  const scratch = await mkdtemp(join(tmpdir(), "make-video-"));
  try {
    for (const [index, scene] of spec.scenes.entries())
      await writeFile(join(scratch, textFile(index)), scene.text ?? "", "utf8");
    const sound = !spec.withoutSound;
    const codecs = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac"];
    const maps = ["-map", "[video]", ...(sound ? ["-map", "[audio]"] : [])];
    const args = ["-filter_complex", filterGraph(spec, font), ...maps, ...codecs, resolve(path)];
    await ffmpeg(args, scratch, JSON.stringify(spec.scenes.map(({ text }) => text)));
  } finally {
    await rm(scratch, { recursive: true });
  }
  return truthOf(spec, font !== undefined);
}

function filterGraph(spec: VideoSpec, font: string | undefined): string {
  const { width = 320, height = 240, fps = 25, soundRate = 44_100, scenes } = spec;
  const size = `size=${width}x${height}:rate=${fps}`;
  const square = Math.max(2, Math.round(height / 12));
  const parts = scenes.flatMap((scene, index) => {
    const seconds = wholeFrames(scene.seconds, fps);
    const length = `duration=${seconds}`;
    // Long text is drawn smaller to fit the width: a letter is about 0.6 times as wide as it is high.
    const letters = Math.max(1, scene.text?.length ?? 0);
    const fontSize = Math.floor(Math.min(height / 6, (0.9 * width) / (0.66 * letters)));
    const write =
      font && scene.text
        ? `,drawtext=fontfile='${font}':textfile=${textFile(index)}:expansion=none:fontsize=${fontSize}:` +
          "fontcolor=white:box=1:boxcolor=black:boxborderw=8:x=(w-text_w)/2:y=(h-text_h)/2"
        : "";
    const background = `color=c=${scene.color}:${size}:${length}`;
    const video = scene.moving
      ? `${background}[back${index}];color=c=white:size=${square}x${square}:rate=${fps}:${length}[square${index}];` +
        `[back${index}][square${index}]overlay=x='mod(t*${Math.round(width / 4)}\\,W)':y=0:shortest=1${write}`
      : background + write;
    const source = scene.sound === "tone" ? "sine=frequency=440" : "anullsrc=channel_layout=mono";
    const audio = `${source}:sample_rate=${soundRate},atrim=duration=${seconds},aformat=channel_layouts=mono[a${index}]`;
    return [`${video},setsar=1,format=yuv420p[v${index}]`, ...(spec.withoutSound ? [] : [audio])];
  });
  const streams = spec.withoutSound ? "v=1:a=0[video]" : "v=1:a=1[video][audio]";
  const inputs = scenes.map((_, index) => `[v${index}]${spec.withoutSound ? "" : `[a${index}]`}`).join("");
  return [...parts, `${inputs}concat=n=${scenes.length}:${streams}`].join(";");
}

function truthOf(spec: VideoSpec, textDrawn: boolean): VideoTruth {
  const scenes: VideoTruth["scenes"] = [];
  let start = 0;
  for (const { seconds, color, text, sound = "silence" } of spec.scenes) {
    const end = start + wholeFrames(seconds, spec.fps ?? 25);
    scenes.push({ start, end, color, text: textDrawn && text ? text : null, sound });
    start = end;
  }
  return { durationMs: Math.round(start * 1000), cuts: scenes.slice(1).map((scene) => scene.start), scenes };
}

function wholeFrames(seconds: number, fps: number): number {
  return Math.round(seconds * fps) / fps;
}

function textFile(index: number): string {
  return `scene-${index}.txt`;
}
