import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { ownRedis } from "./testing/queue.harness.ts";

const packageUrl = fileURLToPath(new URL("./index.ts", import.meta.url));

/** Opens everything, uses it as far as Redis allows, closes it after a line on stdin, and expects Node to exit. */
const script = `
  import { randomUUID } from "node:crypto";
  import { once } from "node:events";
  import { openCompletions, openJobQueue, openPermits, openRateLimiter, startWorker } from ${JSON.stringify(packageUrl)};
  const [redisUrl, prefix] = process.argv.slice(1);
  const options = { redisUrl, prefix, onError() {} };
  const queue = openJobQueue(options);
  const limiter = openRateLimiter(options);
  const completions = openCompletions({ ...options, findFinished: async (jobIds) => jobIds });
  const worker = startWorker({ ...options, concurrency: 2, run: async () => {} });
  const permits = openPermits({ ...options, limit: 1 });
  void permits.take({ accountId: "account", pays: true }, new AbortController().signal);
  await queue.enqueue(randomUUID()).catch(() => {});
  await limiter.take("read", "account", 10);
  console.log(await completions.wait(randomUUID(), { deadline: new Date(Date.now() + 5000) }));
  await once(process.stdin, "data");
  process.stdin.destroy();
  await Promise.all([queue.close(), limiter.close(), completions.close(), permits.close(), worker.close(1000)]);
  console.log("closed");
`;

test.concurrent.for(["available", "unavailable", "killed"])(
  "a process that closes everything exits while Redis is %s",
  async (redis, { expect }) => {
    await using own = await ownRedis();
    const redisUrl = redis === "unavailable" ? `redis://127.0.0.1:${await freePort()}` : own.url;
    const args = ["--unhandled-rejections=strict", "--input-type=module", "-e", script, redisUrl, "test"];
    const running = promisify(execFile)(process.execPath, args, { timeout: 20_000 });
    if (running.child.stdout) await once(running.child.stdout, "data");
    if (redis === "killed") await own.kill();
    running.child.stdin?.end("close\n");
    const { stdout, stderr } = await running;
    expect({ stdout, stderr }).toEqual({ stdout: "finished\nclosed\n", stderr: "" });
  },
);

test("importing the package opens nothing", async () => {
  const args = ["--input-type=module", "-e", `await import(${JSON.stringify(packageUrl)})`];
  await promisify(execFile)(process.execPath, args, { timeout: 10_000 });
  expect(true).toBe(true);
});
