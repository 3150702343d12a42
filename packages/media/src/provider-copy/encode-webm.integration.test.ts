import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { ffmpegDirectory } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { measure } from "../measure/measure.ts";
import { prepareForProvider } from "./prepare-for-provider.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
const readable = { containers: { webm: ["opus"] }, videoCodecs: ["vp8"], maxFileBytes: 10_000_000 };

test.skipIf(process.platform !== "linux")(
  "the threads of VP8 do not wait for each other at the cost of the processor",
  async () => {
    const scratchDir = await mkdtemp(join(tmpdir(), "encode-webm-"));
    const path = join(scratchDir, "sample.mp4");
    await makeVideo({ scenes: [{ seconds: 4, color: "red", sound: "tone", moving: true }] }, path);
    const video = await measure(path, { maxVideoSeconds: 600, confinement });
    const before = await cpuSecondsOfChildren();
    const { mimeType } = await prepareForProvider(path, video, { readable, scratchDir, confinement });
    expect(mimeType).toBe("video/webm");
    // Four threads take 6 s.
    expect((await cpuSecondsOfChildren()) - before).toBeLessThan(2);
    await rm(scratchDir, { recursive: true });
  },
);

/** Returns the CPU seconds of all child processes that have ended. */
async function cpuSecondsOfChildren(): Promise<number> {
  const stat = await readFile("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
