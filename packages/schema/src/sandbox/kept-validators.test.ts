import { expect, test } from "vitest";
import { toExactValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { createKeptValidators } from "./kept-validators.ts";

const bounds = { maxDepth: 100, maxValues: 10_000 };
const maximum = (limit: number) => `{"type":"integer","maximum":${limit}}`;

function openKept(options: { count?: number; now?: () => number } = {}) {
  const validators = createKeptValidators(createSchemaReader(), { now: () => 0, ...options });
  return Object.assign((text: string) => validators.of(text, readJson(text, bounds)), validators);
}

function accepts(validator: ReturnType<ReturnType<typeof openKept>>, value: string): boolean {
  return validator(toExactValue(readJson(value, bounds))).length === 0;
}

test("a repeated schema is not compiled again, and checks each value anew", () => {
  const validatorOf = openKept();
  const first = validatorOf(maximum(5));
  expect(accepts(first, "6")).toBe(false);
  expect(accepts(first, "5")).toBe(true);
  expect(validatorOf(maximum(5))).toBe(first);
  expect(accepts(validatorOf(maximum(6)), "6")).toBe(true);
  expect(accepts(validatorOf(maximum(5)), "6")).toBe(false);
});

test("only the schemas that were used last are kept", () => {
  const validatorOf = openKept({ count: 2 });
  const [first, second] = [validatorOf(maximum(1)), validatorOf(maximum(2))];
  expect(validatorOf(maximum(1))).toBe(first);
  validatorOf(maximum(3));
  expect(validatorOf(maximum(1))).toBe(first);
  expect(validatorOf(maximum(2))).not.toBe(second);
});

test("a long schema, and one that is slow to compile, is not kept", () => {
  const long = `{"description":"${"x".repeat(9000)}","type":"integer"}`;
  const validatorOf = openKept();
  expect(validatorOf(long)).not.toBe(validatorOf(long));
  let time = 0;
  const slowly = openKept({ now: () => (time += 200) });
  expect(slowly(maximum(1))).not.toBe(slowly(maximum(1)));
});

test("dropped validators are compiled again", () => {
  const validatorOf = openKept();
  const first = validatorOf(maximum(1));
  validatorOf.clear();
  expect(validatorOf(maximum(1))).not.toBe(first);
});
