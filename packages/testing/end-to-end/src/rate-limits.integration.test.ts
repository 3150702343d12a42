import { startService } from "@video-to-json/stack/service";
import { expect, test } from "vitest";

const perMinute = 30;

test("limits are told and held while Redis is away, no request fails or waits for it, and all processes count together before and after", async () => {
  await using service = await startService({ apis: 2, workers: 0, env: { READS_PER_MINUTE: String(perMinute) } });
  const other = await service.newKey();
  /** A read by one of the APIs: its status and what is left of the quota. */
  const read = async (api: number, by = service.apiKey) => {
    const response = await fetch(`${service.apiUrls[api]}/v1/me`, { headers: { authorization: `Bearer ${by}` } });
    await response.arrayBuffer();
    const told = response.headers.get("ratelimit") ?? "";
    const left = Number(/^"read";r=(\d+);t=\d+$/.exec(told)?.[1] ?? "-1");
    return { status: response.status, left };
  };

  expect([(await read(0)).left, (await read(1)).left, (await read(0)).left]).toEqual([29, 28, 27]);

  await service.redis.kill();
  const began = performance.now();
  for (const [api, before] of [2, 1].entries()) {
    const away = [];
    const most = perMinute - before;
    for (let i = 0; i < most + 5; i += 1) away.push(await read(api));
    const allowed = Array.from({ length: most }, (_, index) => ({ status: 200, left: most - 1 - index }));
    const refused = Array.from({ length: 5 }, () => ({ status: 429, left: 0 }));
    expect(away).toEqual([...allowed, ...refused]);
  }
  // So many that waited a quarter of a second each would have taken more than sixteen.
  expect(performance.now() - began).toBeLessThan(10_000);

  await service.redis.restart();
  const together = async () => (await read(0, other)).left - (await read(1, other)).left;
  await expect.poll(together, { interval: 500 }).toBe(1);
});
