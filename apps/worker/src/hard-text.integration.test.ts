import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findEvidence } from "@video-to-json/database";
import { ffmpeg, findFont } from "@video-to-json/testing/running";
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
