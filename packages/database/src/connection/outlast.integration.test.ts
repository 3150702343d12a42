import { startPostgres } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";
import { outlast } from "./outlast.ts";

let server: Awaited<ReturnType<typeof startPostgres>>;
let database: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  server = await startPostgres();
  database = openDatabase(server.url, { maxConnections: 4, applicationName: "test" });
  await database.ready();
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

test("work goes on where the server was killed, and is told that it may have been done", async () => {
  const tries: boolean[] = [];
  const work = outlast(async (again) => {
    tries.push(again);
    if (!again) await server.kill();
    else if (tries.length === 4) await server.restart();
    return database.db.execute(sql`select 1 as one`);
  });
  expect(await work).toEqual([{ one: 1 }]);
  expect(tries[0]).toBe(false);
  expect(tries.slice(1).every(Boolean)).toBe(true);
}, 60_000);

test("a server that stays away, and any other fault, is told", async () => {
  let tries = 0;
  const failing = outlast(async () => {
    tries += 1;
    return database.db.execute(sql`select nothing`);
  });
  await expect(failing).rejects.toThrow();
  expect(tries).toBe(1);
  const nobody = openDatabase("postgres://nobody@127.0.0.1:1/x", { maxConnections: 1, applicationName: "test" });
  await expect(outlast(() => nobody.ready(), { ms: 300 })).rejects.toThrow(/ECONNREFUSED/);
  await nobody.close();
});

test("however often a server was asked in vain, it is found soon after it is back", async () => {
  await server.kill();
  for (let i = 0; i < 12; i++) await Promise.allSettled([database.ready(), database.ready()]);
  await server.restart();
  const back = Date.now();
  await outlast(() => database.ready());
  expect(Date.now() - back).toBeLessThan(4000);
}, 60_000);
