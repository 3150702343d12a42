import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";
import { withAdvisoryLock } from "./with-advisory-lock.ts";

const sweep = { name: "sweep", longestSeconds: 60 };

test("work under one name is done by one at a time, and the others go away", async () => {
  await using fresh = await freshDatabase();
  const { promise: done, resolve: finish } = Promise.withResolvers<string>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const first = withAdvisoryLock(fresh.database, sweep, () => {
    start();
    return done;
  });
  await started;

  expect(await withAdvisoryLock(fresh.database, sweep, async () => "second")).toBeUndefined();
  expect(await withAdvisoryLock(fresh.database, { ...sweep, name: "another" }, async () => "free")).toBe("free");
  finish("first");
  expect(await first).toBe("first");
  expect(await withAdvisoryLock(fresh.database, sweep, async () => "third")).toBe("third");
});

test("work that throws gives the lock back", async () => {
  await using fresh = await freshDatabase();
  const failing = withAdvisoryLock(fresh.database, sweep, async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(await withAdvisoryLock(fresh.database, sweep, async () => "next")).toBe("next");
});

test("a lock whose connection dies is free for others, and its work still ends", async () => {
  await using fresh = await freshDatabase();
  const ended = await withAdvisoryLock(fresh.database, sweep, async () => {
    await fresh.db.execute(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name like 'video-to-json lock%'`);
    return withAdvisoryLock(fresh.database, sweep, async () => "taken over");
  });
  expect(ended).toBe("taken over");
});

test("a lock whose process stands still is free for others once the longest time is over", async () => {
  await using fresh = await freshDatabase();
  const { promise: movesAgain, resolve: moveAgain } = Promise.withResolvers<string>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const standing = withAdvisoryLock(fresh.database, { ...sweep, longestSeconds: 0.1 }, () => {
    begin();
    return movesAgain;
  });
  await begun;
  await expect.poll(() => withAdvisoryLock(fresh.database, sweep, async () => "taken over")).toBe("taken over");
  moveAgain("done in vain");
  expect(await standing).toBe("done in vain");
});
