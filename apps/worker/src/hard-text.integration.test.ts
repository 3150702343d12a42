import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findEvidence } from "@video-to-json/database";
import { ffmpeg, findFont, runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider } from "./memory-provider.harness.ts";

let directory: string;
let video: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hard-text-"));
  video = join(directory, "video.webm");
  const drawn = `drawtext=fontfile=${findFont()}:text='Final score 3-1':fontsize=44:fontcolor=white:x=(w-tw)/2:y=(h-th)/2`;
  const tilted = `${drawn},rotate=-18*PI/180:c=0x304050`;
  await ffmpeg(
    ["-f", "lavfi", "-i", "color=0x304050:s=960x540:r=5:d=3", "-vf", tilted, "-c:v", "libvpx", "-b:v", "2M", video],
    directory,
  );
});

afterAll(() => rm(directory, { recursive: true }));

test("evidence confirms a tilted text of the screen, and denies a wrong number in it", async () => {
  const spans = (quote: string) => [{ from: "00:00", to: "00:01", modality: "text", quote }];
  const fields = [
    { id: 1, spans: spans("Final score 3-1") },
    { id: 2, spans: spans("Final score 3-2") },
  ];
  const answers = [JSON.stringify({ right: "Final score 3-1", wrong: "Final score 3-2" }), JSON.stringify({ fields })];
  const place = await openJobPlace(createMemoryProvider({ answers }), { evidenceSeconds: 300 });
  const id = await place.newJob(video, { schemaText: '{"right":"string","wrong":"string"}', wantsEvidence: true });
  await place.runJob(id);
  const found = await findEvidence(place.db, { id, accountId: place.accountId });
  expect(JSON.parse(found?.evidenceText ?? "null").fields).toMatchObject({
    "/right": { verdict: "confirmed", spans: [{ quote_found: true }] },
    "/wrong": { verdict: "contradicted", spans: [{ read: "Final score 3-1" }] },
  });
});

test.runIf(runsAllTests)("frames that cannot be read together in time are read one by one", async () => {
  const noisy = join(directory, "noisy.webm");
  const noise =
    "noise=alls=100,format=gray,lut=y='if(gt(val,128),255,0)',scale=1920:1080:flags=neighbor,format=yuv420p";
  const text = `drawtext=fontfile=${findFont()}:text='Scene %{eif\\:101+trunc(t/3)\\:d}':fontsize=90:x=(w-tw)/2:y=(h-th)/2`;
  const drawn = `${noise},drawbox=x=400:y=400:w=1100:h=260:color=white:t=fill,${text}`;
  const encoded = ["-c:v", "libvpx", "-crf", "4", "-b:v", "60M", "-deadline", "realtime"];
  await ffmpeg(["-f", "lavfi", "-i", "color=gray:s=384x216:r=2:d=24", "-vf", drawn, ...encoded, noisy], directory);
  const data = Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((scene) => [`s${scene}`, `Scene ${101 + scene}`]));
  const fields = Object.values(data).map((quote, scene) => {
    const [from, to] = [scene * 3, scene * 3 + 2].map((second) => `00:${String(second).padStart(2, "0")}`);
    return { id: scene + 1, spans: [{ from, to, modality: "text", quote }] };
  });
  const answers = [JSON.stringify(data), JSON.stringify({ fields })];
  const place = await openJobPlace(createMemoryProvider({ answers }), { evidenceSeconds: 300 });
  const schemaText = JSON.stringify(Object.fromEntries(Object.keys(data).map((key) => [key, "string"])));
  const id = await place.newJob(noisy, { schemaText, wantsEvidence: true });
  await place.runJob(id);
  const found = await findEvidence(place.db, { id, accountId: place.accountId });
  const { fields: proved } = JSON.parse(found?.evidenceText ?? "null");
  expect(Object.values(proved)).toMatchObject(Object.keys(data).map(() => ({ verdict: "confirmed" })));
});
