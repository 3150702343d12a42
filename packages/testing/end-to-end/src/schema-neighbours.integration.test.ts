import { setTimeout as sleep } from "node:timers/promises";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { EXTRACTIONS_PER_MINUTE: "100000", WORKER_CONCURRENCY: "4" } });
});
afterAll(() => service[Symbol.asyncDispose]());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** What the sandbox of an API gives a schema, in milliseconds. */
const schemaTimeMs = 2000;

/** Sixty resources that each lead to all others and take the dynamic anchors of all they came through along. */
function compileBomb(): object {
  const names = Array.from({ length: 60 }, (_, index) => `r${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: name }]));
  const $defs = Object.fromEntries(
    names.map((name) => [name, { $id: name, $dynamicAnchor: `of-${name}`, properties }]),
  );
  return { $id: "https://example.com/root", $ref: "r0", $defs };
}

/** An object that is quickly compiled, and whose one text is judged 2^40 times. */
function checkBomb(): object {
  const $defs: Record<string, object> = { a40: { type: "string" } };
  for (let index = 0; index < 40; index++) {
    const next = { $ref: `#/$defs/a${index + 1}` };
    $defs[`a${index}`] = { allOf: [next, next] };
  }
  const title = { type: "string", allOf: [{ $ref: "#/$defs/a0" }] };
  return { type: "object", properties: { title }, required: ["title"], additionalProperties: false, $defs };
}

/** How long each of so many requests takes whose schema is compiled and good, one after the other, slowest last. */
async function compileTimes(key: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let asked = 0; asked < count; asked++) {
    const began = performance.now();
    const answer = await service.extractUrl({ schema: { [`field_${asked}`]: "string", goals: ["int"] } }, bearer(key));
    times.push(performance.now() - began);
    expect(answer.body.error.code).toBe("video_missing");
    await sleep(20);
  }
  return times.sort((a, b) => a - b);
}

test("whoever sends schemas that take all the time there is, others' schemas are compiled as if they did not", async () => {
  const honest = await service.newKey();
  const bombers = [await service.newKey(), await service.newKey()];
  const idle = await compileTimes(honest, 15);

  let stopped = false;
  const refusals: string[] = [];
  const bombing = bombers.flatMap((key) =>
    Array.from({ length: 3 }, async () => {
      while (!stopped) {
        const { status, body } = await service.extractUrl({ schema: compileBomb() }, bearer(key));
        refusals.push(`${status} ${body.error.code} ${body.error.details?.join()}`);
      }
    }),
  );
  // By then each of them has had a first try, and is known for it.
  while (refusals.length < 4) await sleep(50);
  const beside = await compileTimes(honest, 15);
  stopped = true;
  await Promise.all(bombing);

  const [idleMedian = 0, median = 0] = [idle[7], beside[7]];
  console.log(`idle ${idleMedian.toFixed()} ms, beside bombs ${median.toFixed()}`);
  expect(new Set(refusals)).toEqual(new Set(["400 schema_invalid : is too complex to compile; simplify it"]));
  // Who had to wait for a bomb would take as long as one; what else the machine has to do is no fault of the bombs'.
  expect(median).toBeLessThan(Math.max(schemaTimeMs, 3 * idleMedian));
});

test("an answer that takes all the time there is to check ends its own job, uncharged, and holds up no other", async () => {
  const [honest, bomber] = [await service.newKey(1_000_000), await service.newKey()];
  const extract = async (key: string, schema: string) => {
    const began = performance.now();
    const { status, body } = await service.extract({ schema }, bearer(key));
    return { status, body, ms: performance.now() - began };
  };
  const began = performance.now();
  let running = 2;
  const bombs = [1, 2].map(() => extract(bomber, JSON.stringify(checkBomb())).finally(() => running--));
  const beside: number[] = [];
  // A dozen tell as much as all that fit.
  while (running > 0 && beside.length < 12) {
    const answer = await extract(honest, '{"main_color":"red|green|blue"}');
    expect([answer.status, answer.body.data]).toEqual([200, { main_color: "red" }]);
    beside.push(answer.ms);
  }
  for (const { status, body } of await Promise.all(bombs)) {
    expect([status, body.error.code]).toEqual([422, "extraction_failed"]);
    expect(body.error.details).toEqual([": takes too long to check against the schema; answer with less"]);
  }
  const bombsMs = performance.now() - began;
  const median = beside.sort((a, b) => a - b)[beside.length >> 1] ?? 0;
  console.log(`${beside.length} jobs of ${median.toFixed()} ms beside bombs of ${bombsMs.toFixed()} ms`);
  expect(await service.secondsRemaining(bomber)).toBe(1800);
  expect(median).toBeLessThan(bombsMs / 2);
  await untilNothingIsLeft(service);
}, 240_000);
