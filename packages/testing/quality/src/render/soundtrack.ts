import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { VideoPlan } from "../cases/case.ts";

const run = promisify(execFile);
const program = "espeak-ng";

/** The samples a second of all sound. */
export const samplesPerSecond = 22_050;

/** Returns whether espeak-ng is installed. Without it there are no spoken words. */
export async function canSpeak(): Promise<boolean> {
  return run(program, ["--version"]).then(
    () => true,
    () => false,
  );
}

async function speak(words: string): Promise<Int16Array> {
  const { stdout } = await run(program, ["-v", "en", "-s", "160", "--stdout", words], {
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
  });
  // The header of a stream has no valid length. The samples start four bytes after the word "data".
  const data = stdout.indexOf("data") + 8;
  const count = Math.floor((stdout.length - data) / 2);
  return Int16Array.from({ length: count }, (_, index) => stdout.readInt16LE(data + index * 2));
}

const loudness = 0.3 * 32_767;
/** A beep fades in and out, so that it does not click. */
const fadeSamples = samplesPerSecond / 100;

/** Returns the sound of a video as mono samples of 16 bits. */
export async function makeSoundtrack({ durationMs, events }: VideoPlan): Promise<Buffer> {
  const samples = new Int16Array(Math.round((durationMs / 1000) * samplesPerSecond));
  for (const { startMs, endMs, shows } of events) {
    const [from, to] = [sampleAt(startMs), Math.min(samples.length, sampleAt(endMs))];
    for (const show of shows) {
      if (show.kind === "beep") beep(samples.subarray(from, to), show.hertz);
      if (show.kind === "speech") samples.set((await speak(show.words)).subarray(0, samples.length - from), from);
    }
  }
  return Buffer.from(samples.buffer);
}

function sampleAt(ms: number): number {
  return Math.round((ms / 1000) * samplesPerSecond);
}

function beep(samples: Int16Array, hertz: number): void {
  for (let index = 0; index < samples.length; index++) {
    const fade = Math.min(1, index / fadeSamples, (samples.length - index) / fadeSamples);
    samples[index] = Math.round(loudness * fade * Math.sin((2 * Math.PI * hertz * index) / samplesPerSecond));
  }
}
