import { getHeapSpaceStatistics } from "node:v8";
import { expect, onTestFinished, test } from "vitest";
import { giveBackMemory } from "./give-back-memory.ts";

/** The room that is kept for new objects, in MiB: V8 makes it larger in a rush, and by itself leaves it so. */
function roomForNewObjects(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return (space?.space_size ?? Number.NaN) / 1024 ** 2;
}

test("the room that a rush has taken is given back once the process is quiet", async () => {
  const memory = giveBackMemory({ everyMs: 50 });
  onTestFinished(() => memory.close());
  const rush = Array.from({ length: 2_000_000 }, (_, index) => ({ index }));
  expect(rush).toHaveLength(2_000_000);
  expect(roomForNewObjects()).toBeGreaterThan(8);
  // V8 by itself waits for eight seconds, and on a service that is asked now and then for good.
  await expect.poll(roomForNewObjects, { interval: 200 }).toBeLessThan(4);
});
