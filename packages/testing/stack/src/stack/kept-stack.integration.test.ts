import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, testRedis } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { keepStack, removeStackData, stillRuns, stopKeptStack } from "./kept-stack.ts";
import { signInLink } from "./sign-in-link.ts";

test("a detached stack is found again while it runs, stops completely, and has the same key when it starts again", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "video-to-json-kept-stack-"));
  const database = await createTestDatabase();
  const redis = testRedis();
  const env = { DATABASE_URL: database.url, REDIS_URL: `${redis.url}?prefix=${redis.prefix}` };
  const options = { dataDir, apis: 1, workers: 1, env };
  try {
    const first = await keepStack(options);
    expect(first.record.processes.map(({ name }) => name).sort()).toEqual(["api-1", "emulator", "worker-1"]);
    const again = await keepStack(options);
    expect([first.wasUp, again.wasUp, again.record]).toEqual([false, true, first.record]);
    await signIn(first.record.stack.baseUrl, await signInLink(first.record.stack, dataDir));

    expect((await stopKeptStack(dataDir)).sort()).toEqual(["api-1", "emulator", "worker-1"]);
    expect(first.record.processes.filter(stillRuns)).toEqual([]);

    const later = await keepStack(options);
    expect([later.wasUp, later.record.stack.apiKey]).toEqual([false, first.record.stack.apiKey]);
  } finally {
    await stopKeptStack(dataDir);
    await removeStackData(dataDir);
    await database.drop();
  }
  expect(existsSync(dataDir)).toBe(false);
});

/** Opens a link as the page does after the click. A second use must fail. */
async function signIn(baseUrl: string, link: string | undefined): Promise<void> {
  const url = new URL(link ?? "");
  expect(url.pathname).toBe("/dashboard/sign-in");
  const { email, code: otp, link: asked } = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
  const send = () =>
    fetch(`${baseUrl}/dashboard/api/auth/sign-in/email-otp`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: baseUrl },
      body: JSON.stringify({ email, otp, link: asked, confirmed: true }),
    });
  const first = await send();
  const [cookie = ""] = first.headers.getSetCookie();
  const session = await fetch(`${baseUrl}/dashboard/api/session`, {
    headers: { cookie: String(cookie.split(";")[0]) },
  });
  expect(await session.json()).toMatchObject({ email });
  expect((await send()).status).toBe(400);
}
