import { expect, test } from "vitest";
import { openJobPlace } from "../job-place.harness.ts";
import { createMemoryProvider, makeReadableVideo } from "../memory-provider.harness.ts";

test("the upload is deleted while the provider still deletes its copy", async () => {
  let atProvider: () => Promise<void> = async () => {};
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'], beforeDelete: () => atProvider() });
  const place = await openJobPlace(provider);
  atProvider = () => expect.poll(() => place.uploads()).toEqual([]);
  const id = await place.newJob(await makeReadableVideo(place.directory));
  await place.runJob(id, { signal: new AbortController().signal, progress: () => {} });
  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", cleanedAt: expect.any(Date) });
});
