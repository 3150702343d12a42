import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { ffmpegDirectory } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { canReadScreenText, readScreenTexts } from "./read-screen-text.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let scratchDir: string;
let video: string;

beforeAll(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), "screen-text-"));
  video = join(await mkdtemp(join(tmpdir(), "screen-video-")), "video.mp4");
  const scenes = [
    { seconds: 2, color: "red" },
    { seconds: 2, color: "blue", text: "Final score 3" },
  ] as const;
  await makeVideo({ scenes, width: 640, height: 360 }, video);
});

afterAll(async () => {
  await rm(scratchDir, { recursive: true });
  await rm(join(video, ".."), { recursive: true });
});

test.skipIf(!canReadScreenText())(
  "the text on a frame is read, confined as ffmpeg is, and the frame is not kept",
  async () => {
    const read = (times: number[], reading: "all" | "bright" = "all") =>
      readScreenTexts(video, times, { reading, scratchDir, confinement });
    expect(await read([3_000])).toEqual(["Final score 3"]);
    expect(await read([3_000], "bright")).toEqual(["Final score 3"]);
    expect(await read([60_000])).toEqual([""]);
    expect(await read([60_000, 3_000, 1_000, 1_500, 3_500, 1_000])).toEqual([
      "",
      "Final score 3",
      "",
      "",
      "Final score 3",
      "",
    ]);
    expect(await readdir(scratchDir)).toEqual([]);
  },
);

test.skipIf(!canReadScreenText("Cyrillic") || !canReadScreenText("Greek"))(
  "a text in another script is read with its languages",
  async () => {
    const read = async (text: string, script: "Cyrillic" | "Greek") => {
      const path = join(video, "..", `${script}.mp4`);
      await makeVideo({ scenes: [{ seconds: 1, color: "blue", text }], width: 640, height: 360 }, path);
      return (await readScreenTexts(path, [500], { reading: "all", script, scratchDir, confinement }))[0];
    };
    expect(await read("Выход на перрон 31", "Cyrillic")).toBe("Выход на перрон 31");
    expect(await read("Έξοδος 12", "Greek")).toBe("Έξοδος 12");
  },
);

test.skipIf(!canReadScreenText())("an abort ends the reading, and the frame is not kept", async () => {
  const signal = AbortSignal.abort();
  const reading = readScreenTexts(video, [3_000, 1_000], { reading: "all", scratchDir, confinement, signal });
  await expect(reading).rejects.toMatchObject({ reason: "aborted" });
  expect(await readdir(scratchDir)).toEqual([]);
});
