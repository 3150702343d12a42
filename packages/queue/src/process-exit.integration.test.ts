import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort, testRedis } from "@video-to-json/testing";
import { expect, test } from "vitest";

const packageUrl = fileURLToPath(new URL("./index.ts", import.meta.url));

/** Opens everything, uses it as far as Redis allows, closes it, and leaves the rest to Node. */
const script = `
  import { randomUUID } from "node:crypto";
  import { openCompletions, openJobQueue, openRateLimiter, startWorker } from ${JSON.stringify(packageUrl)};
  const [redisUrl, prefix] = process.argv.slice(1);
  const options = { redisUrl, prefix, onError() {} };
  const queue = openJobQueue(options);
  const limiter = openRateLimiter(options);
  const completions = openCompletions({ ...options, findEnded: async (jobIds) => jobIds });
  const worker = startWorker({ ...options, concurrency: 2, run: async () => {} });
  await queue.enqueue(randomUUID()).catch(() => {});
  await limiter.take("read", "account", 10);
  console.log(await completions.wait(randomUUID(), { deadline: new Date(Date.now() + 5000) }));
  await Promise.all([queue.close(), limiter.close(), completions.close(), worker.close(1000)]);
  console.log("closed");
`;

test.concurrent.for(["there", "away"])(
  "a process that closes all of it exits, Redis being %s",
  async (redis, { expect }) => {
    const { url, prefix } = testRedis();
    const redisUrl = redis === "there" ? url : `redis://127.0.0.1:${await freePort()}`;
    const args = ["--unhandled-rejections=strict", "--input-type=module", "-e", script, redisUrl, prefix];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
    expect({ stdout, stderr }).toEqual({ stdout: "ended\nclosed\n", stderr: "" });
  },
);

test("importing the package opens nothing", async () => {
  const args = ["--input-type=module", "-e", `await import(${JSON.stringify(packageUrl)})`];
  await promisify(execFile)(process.execPath, args, { timeout: 10_000 });
  expect(true).toBe(true);
});
