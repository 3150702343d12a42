import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider } from "./memory-provider.harness.ts";

test("an answer is stored and paid for before the provider copy is deleted, and the job counts as clean only after", async () => {
  const seen: unknown[] = [];
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'], beforeDelete: () => look() });
  const place = await openJobPlace(provider);
  const path = join(place.directory, "video.mp4");
  await makeVideo({ scenes: [{ seconds: 1, color: "red" }] }, path);
  const id = await place.newJob(path);
  const look = async () => {
    const job = await place.findJob(id);
    const isClean = job?.cleanedAt !== null;
    seen.push({ status: job?.status, billed: job?.billedSeconds, isClean, copies: provider.copies.size });
  };
  await place.runJob(id);
  await look();
  expect(seen).toEqual([
    { status: "succeeded", billed: 60, isClean: false, copies: 1 },
    { status: "succeeded", billed: 60, isClean: true, copies: 0 },
  ]);
  expect(await place.uploads()).toEqual([]);
});
