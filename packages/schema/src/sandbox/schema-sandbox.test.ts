import { defaultLimits } from "@video-to-json/contract";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { fullDialect } from "../lean/schema-dialect.ts";
import { openSchemaSandbox } from "./open-schema-sandbox.ts";

const sandbox = openSchemaSandbox({ limits: defaultLimits, schemaDialect: fullDialect, threads: 1 });
afterAll(() => sandbox.close());

const refusal = async (schemaText: string): Promise<string> => {
  const outcome = await sandbox.compile(schemaText).catch((error) => error);
  expect(outcome, schemaText).toMatchObject({ code: "schema_invalid" });
  return outcome.details[0];
};

test("a root with a key of JSON Schema is JSON Schema, any other a sketch", async () => {
  for (const key of ["$schema", "properties", "$defs", "type", "items", "enum", "anyOf", "oneOf", "allOf", "$ref"]) {
    const outcome = await sandbox.compile(`{"${key}":"string"}`).catch((error) => error);
    expect(outcome.kind ?? outcome.code, key).toMatch(/json-schema|schema_invalid/);
  }
  expect(await sandbox.compile('{"title":"string","description":"text","const":"int"}')).toMatchObject({
    kind: "sketch",
  });
  expect(await sandbox.compile('{"event":{"type":"goal|foul"}}')).toMatchObject({ kind: "sketch" });
});

test("a compiled schema is plain data that survives JSON", async () => {
  const compiled = await sandbox.compile('{"at":"time","__proto__":"string","10":"a|b"}');
  expect(JSON.parse(JSON.stringify(compiled))).toEqual(compiled);
  expect(structuredClone(compiled)).toEqual(compiled);
  expect(compiled.lean).toMatchObject({ type: "object", propertyOrdering: ["at", "__proto__", "10"] });
  expect(Object.keys(compiled.lean?.properties ?? {}).sort()).toEqual(["10", "__proto__", "at"]);
  expect(compiled.promptText).toMatch(/"at":\{[^}]*MM:SS/);
});

test("a large sketch makes a prompt of at most five times its length and is enforced like a small one", async () => {
  const keys = Array.from({ length: 400 }, (_, at) => `"k${at}?":"at - the word ${at}"`);
  const schemaText = `{${keys.join(",")}}`;
  const compiled = await sandbox.compile(schemaText);
  expect(compiled.promptText.length).toBeLessThan(5 * schemaText.length);
  expect(compiled.promptText).toContain('"description":"the word 399"');
  expect(await sandbox.check(compiled, '{"k7":"0:05","k8":null}', 9000)).toEqual({ ok: true, text: '{"k7":"00:05"}' });
  expect(await sandbox.check(compiled, '{"k7":"00:61"}', 9000)).toMatchObject({ ok: false });
});

test("a JSON Schema is in the prompt and is enforced as it was sent", async () => {
  const schemaText = '{ "type" : "object", "properties": {"at": {"type":"string"}}, "x": 1.0 }';
  const compiled = await sandbox.compile(schemaText);
  expect(compiled).toMatchObject({ schemaText, fullText: schemaText, promptText: schemaText });
  expect(await sandbox.check(compiled, '{ "z" : 1.0, "at": "0:05", "big": 12345678901234567890 }', 1000)).toEqual({
    ok: true,
    text: '{"z":1.0,"at":"0:05","big":12345678901234567890}',
  });
});

test("an answer to a sketch has its order, its literals, times as MM:SS and no nulls", async () => {
  const compiled = await sandbox.compile(
    '{"10":"int","2":"a|b","scenes":[{"start":"string","end?":0,"note?":"text"}],"__proto__?":"string"}',
  );
  const answer =
    '\ufeff```json\n{"scenes":[{"note":null,"end":"00:00:09","start":"0:07"}],"2":"a","10":12345678901234567890,"__proto__":"x"}\n```';
  expect(await sandbox.check(compiled, answer, 12_000)).toEqual({
    ok: true,
    text: '{"10":12345678901234567890,"2":"a","scenes":[{"start":"00:07","end":"00:09"}],"__proto__":"x"}',
  });
  expect(await sandbox.check(compiled, answer, 8000)).toEqual({
    ok: false,
    violations: ["/scenes/0/end: 00:09 is past the end of the video, which ends at 00:08"],
    violationsForCaller: ["/scenes/0/end: is past the end of the video, which ends at 00:08"],
  });
});

test("a bad answer is a violation, not an exception", async () => {
  const compiled = await sandbox.compile('{"a":"string"}');
  const violation = async (answer: string) => {
    const checked = await sandbox.check(compiled, answer, 1000);
    return checked.ok ? "none" : checked.violations.join("; ");
  };
  expect(await violation("")).toMatch(/^: is not valid JSON/);
  expect(await violation("Sure! Here it is: {}")).toMatch(/^: is not valid JSON/);
  expect(await violation('{"a":"x","a":"y"}')).toBe("/a: is written twice in its object; write each key once");
  expect(await violation('["a"]')).toBe(": must be object, not array");
  expect(await violation("[".repeat(600) + "]".repeat(600))).toMatch(/nested more than 512 levels/);
  expect(await violation(`{"a":"${"x".repeat(5_000_000)}"}`)).toMatch(/^: is too large/);
  expect(await violation(`[${"1,".repeat(300_000)}1]`)).toMatch(/^: is too large/);
});

test("an unusable schema is refused with the position", async () => {
  expect(await refusal("not json")).toMatch(/^: line 1, column 1: .*; this is not valid JSON$/);
  for (const text of ["[]", '"string"', "null", "5", "true"])
    expect(await refusal(text)).toMatch(/^: must be an object/);
  expect(await refusal(" { } ")).toMatch(/^: is empty/);
  expect(await refusal('{"a":[{"b":null}]}')).toMatch(/^\/a\/0\/b: null/);
  expect(await refusal('{"a":"x||y"}')).toMatch(/^\/a: an option/);
  expect(await refusal('{"a":1,"a?":2}')).toMatch(/^\/a\?: .*twice/);
  expect(await refusal('{"type":"object","properties":{"a":{"$ref":"https://e.com/x.json"}}}')).toMatch(
    /^\/properties\/a\/\$ref: /,
  );
});

test("the limits on bytes, levels and values are exact", async () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}"int"${"}".repeat(levels)}`;
  expect(await sandbox.compile(nested(64))).toMatchObject({ kind: "sketch" });
  expect(await refusal(nested(65))).toMatch(/64 levels/);
  expect(await refusal("[".repeat(120_000) + "]".repeat(120_000))).toMatch(/64 levels/);
  const values = (count: number) => `{${Array.from({ length: count - 1 }, (_, index) => `"k${index}":0`).join()}}`;
  expect(await sandbox.compile(values(10_000))).toMatchObject({ lean: null });
  expect(await refusal(values(10_001))).toMatch(/10000 values/);
  const sized = (bytes: number) => `{"a":"é${"x".repeat(bytes - 10)}"}`;
  expect(await sandbox.compile(sized(256 * 1024))).toMatchObject({ kind: "sketch" });
  expect(await refusal(sized(256 * 1024 + 1))).toMatch(/262144 bytes/);
});

test("a byte order mark and white space around a schema are not part of it", async () => {
  expect(await sandbox.compile('\ufeff\r\n {"a":"string"}\t')).toMatchObject({ schemaText: '{"a":"string"}' });
  const schemaText = '{"type": "object"}';
  expect(await sandbox.compile(` ${schemaText}\n`)).toMatchObject({ schemaText, fullText: schemaText });
  expect(await refusal('\u00a0{"a":"string"}')).toMatch(/^: line 1, column 1: .*; this is not valid JSON$/);
});

test("a key with half of a surrogate pair is refused at any place and shown as its escape", async () => {
  expect(await refusal('{"\\ud800":"string"}')).toMatch(/^\/\\ud800: is a key with half/);
  expect(await refusal('{"a":[{"\udc00":"int"}]}')).toMatch(/^\/a\/0\/\\udc00: /);
  for (const keyword of ["properties", "patternProperties", "dependentRequired", "$defs", "const"]) {
    expect(await refusal(`{"type":"object","${keyword}":{"\\ud800":{"type":"string"}}}`)).toMatch(
      new RegExp(`^/${keyword.replace("$", "\\$")}/\\\\ud800: `),
    );
  }
});

test("half of a surrogate pair in a value, a reference or an answer is compared like any character", async () => {
  const half = "\\ud800";
  const properties = `"e":{"enum":["${half}"]},"p":{"pattern":"^[^${half}-\\udfff]$"},"r":{"required":["${half}"]}`;
  const compiled = await sandbox.compile(`{"type":"object","$id":"${half}","properties":{${properties}}}`);
  expect(JSON.stringify(compiled.lean)).not.toMatch(/\\ud800"/);
  expect(await sandbox.check(compiled, `{"e":"${half}","p":"😀","r":{"${half}":1}}`, 1)).toMatchObject({ ok: true });
  const wrong = await sandbox.check(compiled, `{"e":"\\ud801","p":"${half}","r":{}}`, 1);
  expect(wrong).toMatchObject({ violations: { length: 3 } });
  expect(JSON.stringify(wrong).isWellFormed() && !/[^\\]\\ud8/.test(JSON.stringify(wrong))).toBe(true);
  expect(await refusal(`{"$ref":"#${half}"}`)).toMatch(/^\/\$ref: /);
});

test("violations of the schema and of times are reported together, each with its share", async () => {
  const compiled = await sandbox.compile('{"cuts":[{"at":"time","n":"int"}]}');
  const told = async (count: number) => {
    const answer = { cuts: Array.from({ length: count }, () => ({ at: "09:00", n: "x" })) };
    const checked = await sandbox.check(compiled, JSON.stringify(answer), 1000);
    return checked.ok ? [] : checked.violations;
  };
  expect(await told(1)).toEqual([
    "/cuts/0/n: must be integer, not string",
    "/cuts/0/at: 09:00 is past the end of the video, which ends at 00:01",
  ]);
  const many = await told(30);
  expect(many).toHaveLength(20);
  expect(many.filter((violation) => violation.includes("past the end"))).toHaveLength(10);
});

test("one schema cannot see another's identifiers", async () => {
  await sandbox.compile('{"$id":"https://tenant/a","type":"string"}');
  await sandbox.compile('{"$id":"https://tenant/a","type":"number"}');
  expect(await refusal('{"$ref":"https://tenant/a"}')).toMatch(/nothing is fetched/);
});

test("compiling any JSON succeeds or fails with schema_invalid", async () => {
  const keyword = fc.constantFrom(
    "type",
    "$ref",
    "$id",
    "items",
    "properties",
    "enum",
    "anyOf",
    "not",
    "$defs",
    "required",
    "const",
    "pattern",
    "$dynamicRef",
    "if",
    "minimum",
    "\ud800",
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(
        "string",
        "object",
        "#",
        "#/$defs/a",
        "a|b",
        "(",
        "time?",
        "\udc00|b",
        true,
        false,
        null,
        0,
        -1,
        1.5,
      ),
      fc.dictionary(fc.oneof(keyword, fc.string({ maxLength: 3, unit: "binary" })), tie("value"), { maxKeys: 4 }),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(keyword, value, { maxKeys: 4 }), fc.jsonValue(), async (schema, answer) => {
      const compiled = await sandbox.compile(JSON.stringify(schema)).catch((error) => {
        expect(error).toMatchObject({ code: "schema_invalid" });
      });
      if (compiled) await sandbox.check(compiled, JSON.stringify(answer), 1000);
    }),
    { numRuns: 150 },
  );
});
