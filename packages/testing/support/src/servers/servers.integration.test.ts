import postgres from "postgres";
import { expect, test } from "vitest";
import { postgresAnswers, startPostgres } from "./postgres.ts";
import { askRedis, redisAnswers, startRedis } from "./redis.ts";
import { createTestDatabase, testRedis } from "./test-servers.ts";

test("the run's Redis answers, and no two callers share a prefix", async () => {
  const [one, two] = [testRedis(), testRedis()];
  await redisAnswers(one.url);
  expect(one.prefix).not.toBe(two.prefix);
});

test("twenty databases created at once are separate, and each is dropped although a connection is open", async () => {
  const databases = await Promise.all(Array.from({ length: 20 }, () => createTestDatabase()));
  expect(new Set(databases.map(({ url }) => url)).size).toBe(20);
  const [first] = databases;
  const sql = postgres(String(first?.url), { max: 1, onnotice: () => {} });
  await sql`CREATE TABLE mine (id integer)`;
  await Promise.all(databases.map((database) => database.drop()));
  await expect(postgresAnswers(String(first?.url))).rejects.toThrow(/does not exist/);
  await sql.end();
});

test("a Redis keeps its data through SIGKILL, and loses it in an empty restart", async () => {
  const redis = await startRedis();
  await askRedis(redis.url, "SET key value");
  await redis.kill();
  await expect(redisAnswers(redis.url)).rejects.toThrow();
  await redis.restart();
  expect(await askRedis(redis.url, "GET key")).toBe("$5\r\nvalue");
  await redis.restart({ empty: true });
  expect(await askRedis(redis.url, "GET key")).toBe("$-1");
  await redis.stop();
});

test("a Postgres keeps its data through SIGKILL while a query runs", async () => {
  const server = await startPostgres();
  const sql = postgres(server.url, { max: 2, onnotice: () => {} });
  await sql`CREATE TABLE kept AS SELECT 1 AS id`;
  const running = sql`SELECT pg_sleep(60)`.catch((error: Error) => error);
  await expect.poll(() => sql`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`).toHaveLength(1);
  await server.kill();
  await server.restart();
  expect(await running).toBeInstanceOf(Error);
  expect(await sql`SELECT id FROM kept`).toHaveLength(1);
  await sql.end();
  await server.stop();
});
