import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeVideo } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { openJobPlace } from "../job-place.harness.ts";
import { createMemoryProvider } from "../memory-provider.harness.ts";

test("the upload is deleted while the provider still deletes its copy", async () => {
  let atProvider: () => Promise<void> = async () => {};
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'], beforeDelete: () => atProvider() });
  const place = await openJobPlace(provider);
  atProvider = () => expect.poll(() => place.uploads(), { timeout: 5000 }).toEqual([]);
  const [source, path] = [join(place.directory, "source.mp4"), join(place.directory, "video.webm")];
  await makeVideo({ scenes: [{ seconds: 1, color: "red", sound: "tone" }] }, source);
  await promisify(execFile)("ffmpeg", ["-v", "error", "-i", source, "-c:v", "libvpx", "-c:a", "libopus", path]);
  const id = await place.newJob(path);
  await place.runJob(id, { signal: new AbortController().signal, progress: () => {} });
  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", cleanedAt: expect.any(Date) });
});
