import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer } from "./service-facts.ts";

/** The time limit of the API's sandbox for one schema, in milliseconds. */
const schemaTimeMs = 2000;

/** Sixty resources, each with references to all others and with dynamic anchors that are collected on the way. */
function compileBomb(): object {
  const names = Array.from({ length: 60 }, (_, index) => `r${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: name }]));
  const $defs = Object.fromEntries(
    names.map((name) => [name, { $id: name, $dynamicAnchor: `of-${name}`, properties }]),
  );
  return { $id: "https://example.com/root", $ref: "r0", $defs };
}

/** An object that compiles quickly, but whose only text is checked 2^40 times. */
function checkBomb(): object {
  const $defs: Record<string, object> = { a40: { type: "string" } };
  for (let index = 0; index < 40; index++) {
    const next = { $ref: `#/$defs/a${index + 1}` };
    $defs[`a${index}`] = { allOf: [next, next] };
  }
  const title = { type: "string", allOf: [{ $ref: "#/$defs/a0" }] };
  return { type: "object", properties: { title }, required: ["title"], additionalProperties: false, $defs };
}

const smallSchema = () => ({ [`field_${randomUUID()}`]: "string", goals: ["int"] });

/** Seven kilobytes of JSON Schema, different each time. */
function mediumSchema(): object {
  const field = {
    type: "object",
    properties: { a: { type: "string", maxLength: 50 }, b: { items: { type: "integer" } } },
  };
  const properties = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`field_${at}`, field]));
  return { type: "object", properties, title: randomUUID() };
}

function medianOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}

/** Thousands of patterns, which use up the compile time. */
function patternBomb(): object {
  const patterns = Array.from({ length: 2400 }, (_, at) => [`^a${at}(b|c)*x{1,${(at % 50) + 1}}$`, { type: "string" }]);
  return { type: "object", patternProperties: Object.fromEntries(patterns) };
}

describe("accounts beside one that sends slow schemas", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { EXTRACTIONS_PER_MINUTE: "100000", WORKER_CONCURRENCY: "4" } });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function compileTimes(key: string, count: number, schemaOf: () => object = smallSchema): Promise<number[]> {
    const times: number[] = [];
    for (let sent = 0; sent < count; sent++) {
      const began = performance.now();
      const answer = await service.extractUrl({ schema: schemaOf() }, bearer(key));
      times.push(performance.now() - began);
      expect(answer.body.error.code).toBe("video_missing");
      await sleep(20);
    }
    return times;
  }

  /** Sends bombs with three calls at a time for each key. Resolves when `first` bombs were refused. */
  async function bombard(keys: readonly string[], bomb: () => object, first: number) {
    let goesOn = true;
    const refusals: string[] = [];
    const bombing = keys.flatMap((key) =>
      Array.from({ length: 3 }, async () => {
        while (goesOn) {
          const { status, body } = await service.extractUrl({ schema: bomb() }, bearer(key));
          refusals.push(`${status} ${body.error.code} ${body.error.details?.join()}`);
        }
      }),
    );
    while (refusals.length < first) await sleep(50);
    return {
      refusals,
      async [Symbol.asyncDispose]() {
        goesOn = false;
        await Promise.all(bombing);
      },
    };
  }

  test("schemas that use up the compile time of one account do not slow down another account", async () => {
    const other = await service.newKey();
    const idle = await compileTimes(other, 15);
    // By the fourth refusal, the scheduler has classified each bomber as slow.
    await using bombs = await bombard([await service.newKey(), await service.newKey()], compileBomb, 4);
    const [idleMedian, median] = [medianOf(idle), medianOf(await compileTimes(other, 15))];
    console.log(`idle ${idleMedian.toFixed()} ms, beside bombs ${median.toFixed()} ms`);
    const refusal = "400 schema_invalid : is too complex to compile; use fewer and simpler subschemas";
    expect(new Set(bombs.refusals)).toEqual(new Set([refusal]));
    // A request that waits for a bomb takes as long as the bomb. Other load of the machine slows both measurements.
    expect(median).toBeLessThan(Math.max(schemaTimeMs, 3 * idleMedian));
  });

  test("an account with large schemas waits at most twice as long beside one that sends only bombs", async () => {
    const [honest, bomber] = [await service.newKey(), await service.newKey()];
    await compileTimes(honest, 10, mediumSchema);
    const [quiet, beside]: [number[], number[]] = [[], []];
    // In turns, so that other load of the machine slows both measurements.
    for (let round = 0; round < 4; round++) {
      quiet.push(...(await compileTimes(honest, 20, mediumSchema)));
      await using _bombs = await bombard([bomber], patternBomb, 2);
      beside.push(...(await compileTimes(honest, 40, mediumSchema)));
    }
    const [quietMedian, median] = [medianOf(quiet), medianOf(beside)];
    console.log(`quiet ${quietMedian.toFixed()} ms, beside bombs ${median.toFixed()} ms`);
    // A bomb takes two seconds. On a busy machine, switching to another thread may take twenty milliseconds.
    expect(median).toBeLessThanOrEqual(Math.max(2 * quietMedian, quietMedian + 20));
  });

  test("an answer that uses up the check time fails its own job, uncharged, and delays no other job", async () => {
    const [other, bomber] = [await service.newKey(1_000_000), await service.newKey()];
    const extract = async (key: string, schema: string) => {
      const began = performance.now();
      const { status, body } = await service.extract({ schema }, bearer(key));
      return { status, body, ms: performance.now() - began };
    };
    const began = performance.now();
    let running = 2;
    const bombs = [1, 2].map(() => extract(bomber, JSON.stringify(checkBomb())).finally(() => running--));
    const beside: number[] = [];
    while (running > 0 && beside.length < 12) {
      const answer = await extract(other, '{"main_color":"red|green|blue"}');
      expect([answer.status, answer.body.data]).toEqual([200, { main_color: "red" }]);
      beside.push(answer.ms);
    }
    for (const { status, body } of await Promise.all(bombs)) {
      expect([status, body.error.code]).toEqual([422, "extraction_failed"]);
      expect(body.error.details).toEqual([": takes too long to check against the schema; answer with less"]);
    }
    const bombsMs = performance.now() - began;
    const median = medianOf(beside);
    console.log(`${beside.length} jobs of ${median.toFixed()} ms beside bombs of ${bombsMs.toFixed()} ms`);
    expect(await service.secondsRemaining(bomber)).toBe(1800);
    expect(median).toBeLessThan(bombsMs / 2);
    await untilNothingIsLeft(service);
  }, 240_000);
});
