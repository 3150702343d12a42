import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase } from "../fresh-database.ts";
import { withAdvisoryLock } from "./with-advisory-lock.ts";

test("work under one name is done by one at a time, and the others go away", async () => {
  await using fresh = await freshDatabase();
  const { promise: done, resolve: finish } = Promise.withResolvers<string>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const first = withAdvisoryLock(fresh.database, "sweep", () => {
    start();
    return done;
  });
  await started;

  expect(await withAdvisoryLock(fresh.database, "sweep", async () => "second")).toBeUndefined();
  expect(await withAdvisoryLock(fresh.database, "another", async () => "free")).toBe("free");
  finish("first");
  expect(await first).toBe("first");
  expect(await withAdvisoryLock(fresh.database, "sweep", async () => "third")).toBe("third");
});

test("work that throws gives the lock back", async () => {
  await using fresh = await freshDatabase();
  const failing = withAdvisoryLock(fresh.database, "sweep", async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(await withAdvisoryLock(fresh.database, "sweep", async () => "next")).toBe("next");
});

test("a lock whose connection dies is free for others, and its work still ends", async () => {
  await using fresh = await freshDatabase();
  const ended = await withAdvisoryLock(fresh.database, "sweep", async () => {
    await fresh.db.execute(sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name like 'video-to-json lock%'`);
    return withAdvisoryLock(fresh.database, "sweep", async () => "taken over");
  });
  expect(ended).toBe("taken over");
});
