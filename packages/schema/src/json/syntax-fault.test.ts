import fc from "fast-check";
import { expect, test } from "vitest";
import { findSyntaxFault } from "./syntax-fault.ts";

test.for([
  ['{"a":string}', 1, 6, 'put quotes around "string"'],
  ['{"a": home|away }', 1, 7, 'put quotes around "home|away"'],
  ['{"a":[string]}', 1, 7, 'put quotes around "string"'],
  ['{"a":string[]}', 1, 6, 'put quotes around "string[]"'],
  ['{"a":int?}', 1, 6, 'put quotes around "int?"'],
  ['{\n  title: "string"\n}', 2, 3, 'put quotes around the key "title"'],
  ["{'title': 'string'}", 1, 2, 'use double quotes, `"`'],
  ["{“title”: “string”}", 1, 2, 'use straight double quotes, `"`'],
  ['{"a":"string",}', 1, 15, "remove the comma before `}`"],
  ['{"a":["string",]}', 1, 16, "remove the comma before `]`"],
  ['{"a":"string" "b":0}', 1, 15, "write `,` or `}` here"],
  ['{"a" "string"}', 1, 6, "write `:` between the key and its value"],
  ['{"a":"string" // a comment\n}', 1, 15, "remove the comment; JSON has none"],
  ["# a comment\n{}", 1, 1, "remove the comment; JSON has none"],
  ['{"a":None}', 1, 6, "write `null` instead of `None`"],
  ['{"a":.5}', 1, 6, "write the number as JSON does, such as `0.5` or `-1`, or put it in quotes"],
  ['{"a":01}', 1, 6, "write the number as JSON does, such as `0.5` or `-1`, or put it in quotes"],
  ['{"a":NaN}', 1, 6, 'put quotes around "NaN"'],
  ['{"a":"str', 1, 6, 'close the string with `"`'],
  ['{"a":"one\ntwo"}', 1, 6, 'close the string with `"` on its line, or write a line break as `\\n`'],
  ['{"a":"\\d+"}', 1, 7, "write a valid escape: `\\d` is not in JSON; a backslash itself is `\\\\`"],
  ['{"a":"tab\there"}', 1, 10, "write the control character as an escape, such as `\\t`"],
  ['{"a":"😀", b:0}', 1, 11, 'put quotes around the key "b"'],
  ['{"a":{"b":0}', 1, 13, "close what is open with `}`; the text ends too early"],
  ['{"a":[0}', 1, 8, "close with `]` before `}`"],
  ['{"a":0} and more', 1, 9, "remove what follows the end of the JSON"],
  ["{}}", 1, 3, "remove what follows the end of the JSON"],
  ["", 1, 1, "write a JSON object; the text is empty"],
  ['{"a":}', 1, 6, "write a value before `}`"],
  ["{", 1, 2, "close what is open with `}`; the text ends too early"],
  [
    'import { z } from "zod";\nexport const Goals = z.object({ at: z.string() });',
    1,
    1,
    "send what `JSON.stringify(z.toJSONSchema(…))` gives; this is Zod",
  ],
  [
    "from pydantic import BaseModel\n\nclass Goal(BaseModel):\n    at: str\n",
    1,
    1,
    "send what `json.dumps(….model_json_schema())` gives; this is pydantic",
  ],
] as const)("%j is wrong at its place, and the advice says what to write", ([text, line, column, advice]) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(findSyntaxFault(text)).toEqual({ line, column, advice });
});

test("a text has a fault exactly when it is not JSON", () => {
  const piece = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"',
    "0",
    "-",
    ".",
    "1e5",
    "true",
    "nul",
    " ",
    "\n",
    "\\",
    "x",
    "\u00a0",
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc
      .json()
      .chain((json) =>
        fc
          .tuple(fc.constant(json), fc.nat(json.length), piece)
          .map(([all, at, extra]) => all.slice(0, at) + extra + all.slice(at)),
      ),
    fc.json(),
  );
  fc.assert(
    fc.property(text, (written) => {
      let isJson = true;
      try {
        JSON.parse(written);
      } catch {
        isJson = false;
      }
      expect(findSyntaxFault(written) === undefined, written).toBe(isJson);
    }),
    { numRuns: 2000 },
  );
});

test("a deep or a long text costs linear time and no stack", () => {
  const before = process.cpuUsage();
  for (const text of [
    "[".repeat(2_000_000),
    `"${"x".repeat(4_000_000)}`,
    " ".repeat(4_000_000),
    `{"a":${"x".repeat(2_000_000)}}`,
    `[${"0,".repeat(1_000_000)}`,
  ])
    expect(findSyntaxFault(text)).toBeDefined();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(10_000);
});
