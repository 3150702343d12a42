import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { maxFreeTokens } from "@video-to-json/contract";
import { startService } from "@video-to-json/stack/service";
import { serveLocally } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { bearer, connect } from "./service-facts.ts";

const [accounts, calls, longSeconds] = [200, 8, 120];
const freeSeconds = 120;
/** How long the model takes for an answer. A real one takes half a minute, which would make the test too long. */
const modelMs = 4000;

test(`${accounts} free accounts with all that is slow, large and unsatisfiable delay a paying one to 2 × at p50 and 3 × at p99, and cost three honest uses each at most`, async () => {
  const dripping = new Set<ServerResponse>();
  await using site = await serveLocally((_request, response) => {
    response.write(Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(2048)]));
    dripping.add(response);
  });
  const drip = setInterval(() => {
    for (const response of dripping) response.write(Buffer.alloc(40_000));
  }, 1000);
  using _drip = { [Symbol.dispose]: () => clearInterval(drip) };
  await using service = await startService({
    workers: 2,
    env: { FETCH_ALLOW_HOSTS: site.host },
  });
  const sql = connect(service.database.url);
  await service.admin("grant", "--account", "stack@example.com", "--minutes", "100", "--reference", "invoice");
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: modelMs, times: -1 }]);
  const keys: string[] = [];
  while (keys.length < accounts)
    keys.push(...(await Promise.all(Array.from({ length: 10 }, () => service.newKey(freeSeconds)))));
  const [clip, long] = [await readFile(service.video), await service.videoOf(longSeconds)];
  const schema = '{"main_color":"red|green|blue"}';
  const attacks: ((key: string) => Promise<unknown>)[] = [
    (key) => service.extractUrl({ schema: JSON.parse(schema), video_url: `${site.url}/slow` }, bearer(key)),
    (key) => service.extract({ schema: unsatisfiable, video: clip }, bearer(key)),
    (key) => service.extract({ schema, video: long, detail: "high" }, bearer(key)),
    (key) => service.extract({ schema, video: long }, { ...bearer(key), "extract-evidence": "fields" }),
  ];
  const paying = async () => {
    const times: number[] = [];
    while (times.length < calls) {
      const startedAt = performance.now();
      expect((await service.extract()).status).toBe(200);
      times.push(performance.now() - startedAt);
    }
    return times.sort((a, b) => a - b);
  };
  await service.extract();
  const alone = await paying();
  let isOver = false;
  const attackers = keys.map(async (key, n) => {
    while (!isOver) {
      await attacks[n % attacks.length]?.(key).catch(() => {});
      await sleep(250);
    }
  });
  await sleep(2000);
  const beside = await paying();
  isOver = true;
  for (const response of dripping) response.destroy();
  await Promise.all(attackers);

  const at = (times: number[], part: number) => times[Math.ceil(part * times.length) - 1] ?? Number.NaN;
  const figures = [0.5, 0.99].map((part) => [at(alone, part), at(beside, part)].map(Math.round));
  const costs = await sql`select tokens::float8, pays from accounts`;
  const tokens = costs.filter(({ pays }) => !pays).map((cost) => Number(cost.tokens));
  console.log(
    `alone and beside ${accounts} accounts, ms: p50 ${figures[0]}, p99 ${figures[1]}; tokens: most of an account ${Math.max(...tokens)}, all ${tokens.reduce((sum, one) => sum + one, 0)}`,
  );
  expect(at(beside, 0.5)).toBeLessThanOrEqual(2 * at(alone, 0.5));
  expect(at(beside, 0.99)).toBeLessThanOrEqual(3 * at(alone, 0.99));
  expect(Math.max(...tokens)).toBeLessThanOrEqual(maxFreeTokens(freeSeconds));
}, 600_000);

/** No answer meets both patterns, and no check of the schema alone says so. */
const unsatisfiable = JSON.stringify({
  type: "object",
  properties: { title: { type: "string", allOf: [{ pattern: "^a" }, { pattern: "^b" }] } },
  required: ["title"],
});
