import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { scanPackets } from "./scan-packets.ts";

const confinement = await findConfinement();
let folder: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "scan-packets-"));
  clip = join(folder, "clip.mp4");
  await makeVideo({ scenes: [{ seconds: 1, color: "red" }], withoutSound: true }, clip);
});

afterAll(() => rm(folder, { recursive: true }));

test("the scan ends once a stream has more pictures than its length allows", async () => {
  const options = { watched: [], broadcast: false, confinement };
  const few = { ...options, pictures: [0], maxSeconds: 20 / 300 };
  await expect(scanPackets(clip, few)).rejects.toMatchObject({ code: "media_unreadable" });
  const { timeline } = await scanPackets(clip, { ...few, maxSeconds: 25 / 300 });
  expect(timeline.stream(0).packets).toBe(25);
});

test("packets of other streams do not count as pictures", async () => {
  const { timeline } = await scanPackets(clip, {
    watched: [],
    broadcast: false,
    confinement,
    pictures: [1],
    maxSeconds: 0,
  });
  expect(timeline.stream(0).packets).toBe(25);
});
