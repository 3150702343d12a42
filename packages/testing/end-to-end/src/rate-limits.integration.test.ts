import { startService } from "@video-to-json/stack/service";
import { expect, test } from "vitest";

const perMinute = 30;

test("while Redis is unavailable each API enforces the limits alone, without delay; before and after, they count together", async () => {
  await using service = await startService({ apis: 2, workers: 0, env: { READS_PER_MINUTE: String(perMinute) } });
  const other = await service.newKey();
  /** Sends a read to one API. Returns its status and the remaining quota. */
  const read = async (api: number, by = service.apiKey) => {
    const response = await fetch(`${service.apiUrls[api]}/v1/me`, { headers: { authorization: `Bearer ${by}` } });
    await response.arrayBuffer();
    const header = response.headers.get("ratelimit") ?? "";
    const left = Number(/^"read";r=(\d+);t=\d+$/.exec(header)?.[1] ?? "-1");
    return { status: response.status, left };
  };

  // An API counts alone until its connection to Redis is open.
  let before = 0;
  const together = async (by?: string) => (await read(0, by)).left - (await read(1, by)).left;
  const countTogether = async () => {
    before += 1;
    return together();
  };
  await expect.poll(countTogether, { interval: 500 }).toBe(1);

  await service.redis.kill();
  const began = performance.now();
  for (const api of [0, 1]) {
    const away = [];
    const most = perMinute - before;
    for (let i = 0; i < most + 5; i += 1) away.push(await read(api));
    const allowed = Array.from({ length: most }, (_, index) => ({ status: 200, left: most - 1 - index }));
    const refused = Array.from({ length: 5 }, () => ({ status: 429, left: 0 }));
    expect(away).toEqual([...allowed, ...refused]);
  }
  // A wait of 250 ms for each request would add up to more than 16 s.
  expect(performance.now() - began).toBeLessThan(10_000);

  await service.redis.restart();
  await expect.poll(() => together(other), { interval: 500 }).toBe(1);
});
