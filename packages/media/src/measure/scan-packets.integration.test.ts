import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpegDirectory, makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { scanPackets } from "./scan-packets.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let folder: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "scan-packets-"));
  clip = join(folder, "clip.mp4");
  await makeVideo({ scenes: [{ seconds: 1, color: "red" }], withoutSound: true }, clip);
});

afterAll(() => rm(folder, { recursive: true }));

test("the scan ends once a stream has more pictures than its length allows", async () => {
  const options = { broadcast: false, confinement, still: [1] };
  const scan = (pictures: number) => scanPackets(clip, { ...options, maxSeconds: pictures / 300 });
  // The length ends the scan too, after the first picture.
  expect(await scan(1)).toMatchObject({ endedBy: 0, header: null });
  await expect(scan(0)).rejects.toMatchObject({ code: "media_unreadable" });
});

test("a stream that does not move neither ends the scan nor has too many pictures", async () => {
  const { timeline, endedBy, header } = await scanPackets(clip, {
    ...{ broadcast: false, confinement, still: [0], maxSeconds: 0 },
  });
  expect(timeline.stream(0).packets).toBe(25);
  expect(endedBy).toBeNull();
  expect(header).toMatchObject({ brand: "isom", streams: [{ index: 0, kind: "video", codec: "h264", width: 320 }] });
});
