import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openTranscription, type SpokenWord } from "@video-to-json/analysis";
import { ffmpeg, makeVideo, serveLocally } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider, makeReadableVideo } from "./memory-provider.harness.ts";

/** A place of jobs, whose provider asks for the words twice, with a recogniser that answers one word. */
async function open(reply: { status: number }) {
  const sounds: Buffer[] = [];
  const server = await serveLocally((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => void pieces.push(piece));
    request.on("end", () => {
      sounds.push(Buffer.concat(pieces));
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end('{"text":"beep","words":[{"word":"beep","start":0.5,"end":0.75}]}');
    });
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const heard: (readonly SpokenWord[] | null | undefined)[] = [];
  const memory = createMemoryProvider({ answers: Array(2).fill('{"colour":"red"}') });
  const place = await openJobPlace({
    ...memory,
    async withVideo(video, run, use) {
      for (let time = 0; time < 2; time++) heard.push(await video.words?.(run.signal));
      return memory.withVideo(video, run, use);
    },
  });
  const log = { warn() {} };
  const transcription = openTranscription({ url: `${server.url}/v1`, apiKey: undefined, model: "ears", log });
  onTestFinished(() => transcription.close());
  Object.assign(place.deps, { transcription });
  return { place, sounds, heard };
}

test("a recogniser hears the sound of a video once, from its first moment on, and the job succeeds with its words", async () => {
  const { place, sounds, heard } = await open({ status: 200 });
  const path = join(place.directory, "sound.mp4");
  await makeVideo({ scenes: [{ seconds: 2, color: "red", sound: "tone" }], width: 64, height: 48, fps: 5 }, path);
  const id = await place.newJob(path);
  await place.runJob(id);
  expect(await place.findJob(id)).toMatchObject({ status: "succeeded" });
  expect(heard).toEqual(Array(2).fill([{ text: "beep", startMs: 500, endMs: 750 }]));
  expect(sounds).toHaveLength(1);
  const [form = Buffer.alloc(0)] = sounds;
  const start = form.indexOf("ftyp") - 4;
  const file = join(place.directory, "heard.m4a");
  await writeFile(file, form.subarray(start));
  const wav = join(place.directory, "heard.wav");
  await ffmpeg(["-i", file, wav]);
  const { size } = await stat(wav);
  // Two seconds of 16,000 samples of two bytes.
  expect(Math.abs(size - 64_000)).toBeLessThan(8000);
  expect(await readdir(place.deps.scratchDir)).toEqual([]);
});

test("a recogniser that fails, and a video without sound, leave the job without words", async () => {
  const { place, sounds, heard } = await open({ status: 400 });
  const scenes = [{ seconds: 1, color: "red", sound: "tone" }] as const;
  const loud = join(place.directory, "loud.mp4");
  await makeVideo({ scenes, width: 64, height: 48, fps: 5 }, loud);
  const silent = await makeReadableVideo(place.directory);
  const id = await place.newJob(loud);
  await place.runJob(id);
  expect([(await place.findJob(id))?.status, heard, sounds.length]).toEqual(["succeeded", [null, null], 1]);
  await place.runJob(await place.newJob(silent));
  expect([heard.slice(2), sounds.length]).toEqual([[null, null], 1]);
});
