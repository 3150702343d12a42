import type { TestProject } from "vitest/node";
import { makeTemplateDatabase } from "./database/template-database.ts";
import type {} from "./provided.ts";
import { startPostgres } from "./servers/start-postgres.ts";
import { startRedis } from "./servers/start-redis.ts";

/**
 * One Postgres and one Redis for the whole run (vitest's `globalSetup`). They end with it, whatever happens to it.
 * VIDEO_TO_JSON_TEST_POSTGRES and VIDEO_TO_JSON_TEST_REDIS give the URLs of servers to use instead.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { VIDEO_TO_JSON_TEST_POSTGRES: postgresUrl, VIDEO_TO_JSON_TEST_REDIS: redisUrl } = process.env;
  const [postgres, redis] = await Promise.all([
    postgresUrl ? { url: postgresUrl, stop: async () => {} } : startPostgres({ prefer: "container" }),
    redisUrl ? { url: redisUrl, stop: async () => {} } : startRedis({ prefer: "container" }),
  ]);
  const template = await makeTemplateDatabase(postgres.url);
  project.provide("postgres", { server: postgres.url, template });
  project.provide("redis", { url: redis.url });
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  };
}
