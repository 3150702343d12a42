import { setImmediate as turn } from "node:timers/promises";
import { defaultLimits } from "@video-to-json/contract";
import { afterAll, expect, test } from "vitest";
import { fullDialect } from "../lean/schema-dialect.ts";
import { openSchemaSandbox } from "./open-schema-sandbox.ts";

// A slow task uses all of its time. The quick ones take some milliseconds.
const sandbox = openSchemaSandbox({ limits: defaultLimits, schemaDialect: fullDialect, threads: 2, timeoutMs: 1_000 });
afterAll(() => sandbox.close());

const runsAll = process.env.VIDEO_TO_JSON_TEST_ALL === "1";
const backtracking = '{"type":"string","pattern":"^(?=a)(a|a)*$"}';
const slowAnswer = JSON.stringify(`${"a".repeat(40)}!`);
const exhausted = { ok: false, violations: [expect.stringMatching(/^: takes too long/)] };

test("a pattern that backtracks without end fails its own check and no other", async () => {
  const slow = await sandbox.compile(backtracking);
  const quick = await sandbox.compile('{"a":"string"}');
  const running = sandbox.check(slow, slowAnswer, 1);
  const beside = await Promise.all(Array.from({ length: 20 }, () => sandbox.check(quick, '{"a":"x"}', 1)));
  expect(beside).toEqual(Array.from({ length: 20 }, () => ({ ok: true, text: '{"a":"x"}' })));
  expect(await running).toMatchObject(exhausted);
  expect(await sandbox.check(quick, '{"a":"y"}', 1)).toMatchObject({ ok: true });
});

function errorBomb(): string {
  const $defs = Object.fromEntries(
    Array.from({ length: 31 }, (_, index) => {
      const next = { $ref: `#/$defs/a${index + 1}` };
      return [`a${index}`, index < 30 ? { anyOf: [next, next] } : { type: "number" }];
    }),
  );
  return JSON.stringify({ $ref: "#/$defs/a0", $defs });
}

test("a schema whose errors double at each step exhausts the sandbox, not the process", async () => {
  const bomb = await sandbox.compile(errorBomb());
  expect(await sandbox.check(bomb, '"x"', 1)).toMatchObject(exhausted);
  expect(await sandbox.check(bomb, "1", 1)).toEqual({ ok: true, text: "1" });
});

// The thread computes for three seconds.
test.runIf(runsAll)("an abort while the thread runs out of memory fails no other task", async () => {
  const one = openSchemaSandbox({ limits: defaultLimits, schemaDialect: fullDialect, threads: 1, timeoutMs: 30_000 });
  const bomb = await one.compile(errorBomb());
  const leaver = new AbortController();
  const left = Promise.allSettled([one.check(bomb, '"x"', 1, leaver.signal)]);
  await turn();
  // The thread dies during this wait. The abort comes before the event of its death is handled.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  leaver.abort(new Error("the caller left"));
  expect(await left).toMatchObject([{ status: "rejected", reason: leaver.signal.reason }]);
  expect(await one.check(bomb, "1", 1)).toMatchObject({ ok: true });
  await one.close();
});

test("tasks that wait behind slow ones keep their whole time", async () => {
  const slow = await sandbox.compile(backtracking);
  const quick = await sandbox.compile('{"a":"string"}');
  const running = Array.from({ length: 3 }, () => sandbox.check(slow, slowAnswer, 1));
  expect(await sandbox.check(quick, '{"a":"x"}', 1)).toMatchObject({ ok: true });
  for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject(exhausted);
});

test("a caller's signal ends its own task with its own reason, running or waiting", async () => {
  const slow = await sandbox.compile(backtracking);
  const reason = new Error("the caller left");
  const leaver = new AbortController();
  const tasks = Array.from({ length: 3 }, () => sandbox.check(slow, slowAnswer, 1, leaver.signal));
  const left = Promise.allSettled(tasks);
  leaver.abort(reason);
  for (const outcome of await left) expect(outcome).toEqual({ status: "rejected", reason });
  await expect(sandbox.compile("{}", leaver.signal)).rejects.toBe(reason);
  expect(await sandbox.compile('{"a":"string"}')).toMatchObject({ kind: "sketch" });
});

test("a dynamic-reference bomb is too complex to compile", async () => {
  const $defs: Record<string, object> = {};
  for (let index = 0; index < 16; index++) {
    const branches = Array.from({ length: 16 }, (_, next) => ({ $ref: `r${next}` }));
    $defs[`r${index}`] = {
      $id: `r${index}`,
      $dynamicAnchor: `x${index}`,
      properties: Object.fromEntries(branches.map((branch, at) => [at, branch])),
    };
  }
  const outcome = sandbox.compile(JSON.stringify({ $id: "https://e/root", $ref: "r0", $defs }));
  await expect(outcome).rejects.toMatchObject({
    code: "schema_invalid",
    details: [expect.stringMatching(/too complex to compile/)],
  });
});

const many = runsAll ? 5_000 : 1_500;

test(`a flat object of ${many} properties compiles and is enforced`, async () => {
  const roomy = openSchemaSandbox({ limits: defaultLimits, schemaDialect: fullDialect, threads: 1, timeoutMs: 30_000 });
  const properties = Object.fromEntries(
    Array.from({ length: many - 10 }, (_, index) => [`p${index}`, { type: "string" }]),
  );
  const compiled = await roomy.compile(JSON.stringify({ type: "object", properties, additionalProperties: false }));
  expect(await roomy.check(compiled, '{"p0":"x","p1489":"y"}', 1)).toMatchObject({ ok: true });
  expect(await roomy.check(compiled, '{"p0":"x","p1489":1,"q":1}', 1)).toMatchObject({ violations: { length: 2 } });
  await roomy.close();
});
