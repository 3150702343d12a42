import type { TestProject } from "vitest/node";
import { bundleApps, bundlesVariable } from "./processes/apps.ts";
import { startPostgres } from "./servers/postgres.ts";
import { startRedis } from "./servers/redis.ts";
import { makeTemplateDatabase } from "./servers/test-servers.ts";
import { cacheVariable, createTestCache, fastDirectory } from "./test-cache.ts";

/**
 * Starts one Postgres and one Redis for the whole run and bundles the apps (vitest's `globalSetup`). The servers end with
 * the run, also when it is killed. VIDEO_TO_JSON_TEST_POSTGRES and VIDEO_TO_JSON_TEST_REDIS name servers to use instead.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The workers of vitest inherit it, as all of the environment.
  process.env.TMPDIR = fastDirectory();
  const { VIDEO_TO_JSON_TEST_POSTGRES: postgresUrl, VIDEO_TO_JSON_TEST_REDIS: redisUrl } = process.env;
  const [postgres, redis] = await Promise.all([
    postgresUrl ? { url: postgresUrl, stop: async () => {} } : startPostgres({ prefer: "container" }),
    redisUrl ? { url: redisUrl, stop: async () => {} } : startRedis({ prefer: "container" }),
  ]);
  process.env[cacheVariable] = await createTestCache();
  await bundle();
  const template = await makeTemplateDatabase(postgres.url);
  project.provide("postgres", { server: postgres.url, template });
  project.provide("redis", { url: redis.url });
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
  };
}

// A tree that cannot be bundled still runs the tests of its sound parts.
async function bundle(): Promise<void> {
  try {
    process.env[bundlesVariable] = await bundleApps();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The apps cannot be bundled; processes start from source.\n${reason}\n`);
  }
}
