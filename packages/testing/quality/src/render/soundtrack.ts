import type { VideoPlan } from "../cases/case.ts";
import { samplesPerSecond, speak } from "./speech.ts";

const loudness = 0.3 * 32_767;
/** A beep fades in and out, so that it does not click. */
const fadeSamples = samplesPerSecond / 100;

/** Returns the sound of a video as a WAV file. */
export async function makeSoundtrack({ durationMs, events }: VideoPlan): Promise<Buffer> {
  const samples = new Int16Array(Math.round((durationMs / 1000) * samplesPerSecond));
  for (const { startMs, endMs, shows } of events) {
    const [from, to] = [sampleAt(startMs), Math.min(samples.length, sampleAt(endMs))];
    for (const show of shows) {
      if (show.kind === "beep") beep(samples.subarray(from, to), show.hertz);
      if (show.kind === "speech") samples.set((await speak(show.words)).subarray(0, samples.length - from), from);
    }
  }
  return wavFile(samples);
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

function wavFile(samples: Int16Array): Buffer {
  const header = Buffer.alloc(44);
  const bytes = samples.length * 2;
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + bytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, bytes)]);
}
