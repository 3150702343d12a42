import { defaultLimits } from "@video-to-json/contract";
import { afterAll, expect, test } from "vitest";
import { fullDialect } from "../lean/schema-dialect.ts";
import { hostileSchemas } from "./hostile-schemas.fixture.ts";
import { openSchemaSandbox } from "./open-schema-sandbox.ts";

// More than the default, because the slowest schemas must pass on a busy machine too.
const sandbox = openSchemaSandbox({ limits: defaultLimits, schemaDialect: fullDialect, threads: 2, timeoutMs: 5000 });
afterAll(() => sandbox.close());

// They take seconds to compile. Other rows show the same with smaller schemas, so these run only with --all.
const slow = ["thirty repeats of a thousand", "five hundred patterns for nothing"];
const runsAll = process.env.VIDEO_TO_JSON_TEST_ALL === "1";
const schemas = Object.entries(hostileSchemas).filter(([name]) => runsAll || !slow.includes(name));

test.each(schemas)("%s: refused with the position, or enforced", async (_name, hostile) => {
  const compiled = await sandbox.compile(hostile.schema).catch((error) => {
    expect(error).toMatchObject({ code: "schema_invalid", details: [expect.any(String), ...error.details.slice(1)] });
    expect(error.details[0]).toMatch(hostile.refused ?? /^accepted$/);
  });
  if (!compiled) return;
  expect(hostile.refused).toBeUndefined();
  for (const answer of hostile.accepts ?? []) {
    expect(await sandbox.check(compiled, answer, 1000)).toMatchObject({ ok: true });
  }
  for (const answer of hostile.rejects ?? []) {
    const checked = await sandbox.check(compiled, answer, 1000);
    // A check that exceeds its time does not prove that the schema is enforced.
    expect(checked).toMatchObject({
      ok: false,
      violations: [
        expect.not.stringMatching(/^: takes too long/),
        ...("violations" in checked ? checked.violations.slice(1) : []),
      ],
    });
  }
});

const formats = "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri \
iri-reference uri-template uuid json-pointer relative-json-pointer json-pointer-uri-fragment regex url byte \
iso-date-time iso-time".split(" ");
const long = [
  `a@${"b.".repeat(20_000)}`,
  `${"a.".repeat(20_000)}@b`,
  `"${" ".repeat(60_000)}@a`,
  "{a,".repeat(30_000),
  "(?=(a+)+)".repeat(5000),
  `http://${"a:".repeat(50_000)}`,
  `http://${"a@".repeat(50_000)}`,
  `P${"1Y".repeat(30_000)}`,
  "1".repeat(100_000),
  "%41".repeat(30_000),
  "::".repeat(30_000),
  `xn--${"9".repeat(900)}`,
  "ß".repeat(900),
  "/~0".repeat(50_000),
  "\u0301".repeat(60_000),
  `2020-01-01T00:00:00.${"1".repeat(100_000)}Z`,
  "a\u3002".repeat(30_000),
  `${"AAAA".repeat(25_000)}=`,
  "\\ud800".repeat(30_000),
];

test("no format exceeds its time on a hostile text", async () => {
  for (const format of formats) {
    const compiled = await sandbox.compile(JSON.stringify({ type: "array", items: { type: "string", format } }));
    const checked = await sandbox.check(compiled, `[${long.map((each) => JSON.stringify(each)).join()}]`, 1000);
    expect(checked.ok ? [] : checked.violations, format).not.toContainEqual(expect.stringMatching(/^: takes too long/));
  }
});
