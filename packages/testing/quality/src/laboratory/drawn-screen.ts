import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FfmpegFailure, findConfinement, openTextReader, readScreenTexts } from "@video-to-json/media";
import { findFont, type Random, randomFrom } from "@video-to-json/testing/running";

/** Reads texts as the product does, from frames on which ffmpeg has drawn them so that programs read them badly. */
export type DrawnScreen = {
  /** @param seed chooses, with the text, what makes the frame hard to read. */
  read(text: string, reading: "first" | "second", seed: number): Promise<string>;
} & AsyncDisposable;

/** What lies behind a text, and what is done to the frame: noise, tilt, a detailed picture, blur, compression, small letters. */
const looks: readonly ((draw: Random) => { background?: string; size?: number; filter?: string; crf?: number })[] = [
  (draw) => ({ filter: `noise=alls=${draw.whole(40, 80)}:allf=t` }),
  (draw) => ({ filter: `rotate=${draw.one([-1, 1]) * draw.whole(5, 20)}*PI/180:c=${plain}` }),
  (draw) => ({
    background: `geq=lum='128+${draw.whole(40, 90)}*sin(X/${draw.whole(15, 60)})*cos(Y/31)+20*random(1)':cb=128:cr=128`,
  }),
  (draw) => ({ filter: `gblur=sigma=${draw.whole(1, 3)}` }),
  (draw) => ({ crf: draw.whole(36, 44) }),
  (draw) => ({ size: draw.whole(14, 20) }),
];
const plain = "0x304050";

/** Opens a drawn screen. It draws and reads each text once. */
export async function openDrawnScreen(): Promise<DrawnScreen> {
  const directory = await mkdtemp(join(tmpdir(), "drawn-screen-"));
  const confinement = await findConfinement({});
  const reader = openTextReader();
  const readings = new Map<string, Promise<string>>();
  const read = async (text: string, reading: "first" | "second", seed: number) => {
    const name = `${Buffer.from(text).toString("hex")}-${seed}`;
    const draw = randomFrom([...text].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed) % 2 ** 31);
    const { background = "null", size = 36, filter = "null", crf = 23 } = draw.one(looks)(draw);
    const [path, textFile] = [join(directory, `${name}-${reading}.mp4`), join(directory, `${name}.txt`)];
    await writeFile(textFile, text);
    const drawn = `drawtext=fontfile=${findFont()}:textfile=${textFile}:fontsize=${size}:fontcolor=white:x=(w-tw)/2:y=(h-th)/2`;
    const input = ["-v", "error", "-f", "lavfi", "-i", `color=${plain}:s=1280x720:d=0.4:r=5`, "-crf", String(crf)];
    const filters = ["-vf", `${background},${drawn},${filter}`];
    await promisify(execFile)("ffmpeg", [...input, ...filters, "-pix_fmt", "yuv420p", path]);
    const context = { confinement, scratchDir: directory, reading: "all" } as const;
    return reading === "second" ? reader.read(path, 0, context) : String(await readScreenTexts(path, [0], context));
  };
  /** Where the noise costs tesseract all of its time, it has read nothing. A busy machine has time later. */
  const readAnyway = (asked: Parameters<typeof read>, tries = 10): Promise<string> =>
    read(...asked).catch((error) =>
      error instanceof FfmpegFailure ? "" : tries > 1 ? readAnyway(asked, tries - 1) : Promise.reject(error),
    );
  return {
    read(text, reading, seed) {
      const key = JSON.stringify([text, reading, seed]);
      const known = readings.get(key) ?? readAnyway([text, reading, seed]);
      readings.set(key, known);
      return known;
    },
    async [Symbol.asyncDispose]() {
      await reader.close();
      await rm(directory, { recursive: true });
    },
  };
}
