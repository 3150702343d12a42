/** A schema that tries to break or slow the sandbox, and the details of its refusal or answers that show its enforcement. */
export type HostileSchema = {
  schema: string;
  refused?: RegExp;
  accepts?: readonly string[];
  rejects?: readonly string[];
};

const text = (schema: object | string) => (typeof schema === "string" ? schema : JSON.stringify(schema));
const refuses = (refused: RegExp, schema: object | string): HostileSchema => ({ schema: text(schema), refused });
const checks = (accepts: readonly string[], rejects: readonly string[], schema: object | string): HostileSchema => {
  return { schema: text(schema), accepts, rejects };
};
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, at) => item(at));
const named = <Value>(count: number, entry: (index: number) => [string, Value]) =>
  Object.fromEntries(many(count, entry));
const nested = (levels: number, open: string, core: string, close: string) =>
  open.repeat(levels) + core + close.repeat(levels);
const pattern = (source: string) => ({ type: "string", pattern: source });
const strings = [['"x"'], ["1"]] as const;
const numbers = [["1"], ['"x"']] as const;
const recursive = "https://json-schema.org/draft/2019-09/schema";

/** A chain of definitions, each based on the next, with `last` at its end. */
function chain(length: number, make: (next: object) => object, last: object): object {
  const next = (index: number) => ({ $ref: `#/$defs/a${index + 1}` });
  return { $ref: "#/$defs/a0", $defs: named(length, (at) => [`a${at}`, at < length - 1 ? make(next(at)) : last]) };
}

/** Hostile schemas, by their attack. Each one is refused with details or enforced like any other. */
export const hostileSchemas: Readonly<Record<string, HostileSchema>> = {
  // References.
  "a recursive reference to itself": refuses(/without end/, {
    $schema: recursive,
    $recursiveAnchor: true,
    $recursiveRef: "#",
  }),
  "a tree by recursive references": checks(['{"next":{"next":{}}}'], ['{"next":{"other":1}}'], {
    $schema: recursive,
    $recursiveAnchor: true,
    type: "object",
    properties: { next: { $recursiveRef: "#" } },
    additionalProperties: false,
  }),
  "dynamic references in a ring": refuses(/without end/, {
    $ref: "x",
    $defs: {
      x: { $id: "x", $dynamicAnchor: "n", allOf: [{ $ref: "y" }] },
      y: { $id: "y", $dynamicAnchor: "n", allOf: [{ $dynamicRef: "#n" }] },
    },
  }),
  "a branch that is the schema itself": checks(['"x"'], [], { anyOf: [{ type: "string" }, { $ref: "#" }] }),
  "a chain of a thousand references": checks(
    ...numbers,
    chain(1000, (next) => next, { type: "number" }),
  ),
  "an address of this program's own": refuses(/nothing is fetched/, { $ref: "schema:linked#/$defs/u0" }),
  "an identifier of this program's own": checks(['"xx"'], ['"x"', "1"], {
    $id: "schema:linked",
    type: "string",
    allOf: [{ $ref: "schema:linked#/$defs/u0" }],
    $defs: { u0: { minLength: 2 } },
  }),
  "the metaschema's identifier": checks(...strings, {
    $id: "https://json-schema.org/draft/2020-12/schema",
    type: "string",
  }),
  "one identifier twice": checks(...strings, {
    $ref: "b",
    $defs: { x: { $id: "b", type: "string" }, y: { $id: "b", type: "number" } },
  }),
  "an anchor of the name __proto__": checks(
    ...strings,
    '{"$ref":"#__proto__","$defs":{"a":{"$anchor":"__proto__","type":"string"}}}',
  ),
  "definitions of the names __proto__ and constructor": checks(
    ...strings,
    '{"$ref":"#/$defs/__proto__","$defs":{"__proto__":{"$ref":"#/$defs/constructor"},"constructor":{"type":"string"}}}',
  ),
  "a way into the prototype": refuses(/there is no schema/, { $ref: "#/constructor/prototype" }),
  "a way into a list's length": refuses(/there is no schema/, { $ref: "#/allOf/length", allOf: [true] }),
  "a pointer with escapes of all kinds": checks(...strings, {
    $ref: "#/$defs/a%25b~1c%22",
    $defs: { 'a%b/c"': { type: "string" } },
  }),
  "a pointer with broken escapes": refuses(/there is no schema/, { $ref: "#/$defs/%E0%A4%A" }),
  "a module, as an address": refuses(/nothing is fetched/, { $ref: "node:fs" }),
  "a document in its address": refuses(/nothing is fetched/, { $ref: "data:application/json,{}" }),
  "three thousand resources": checks(...strings, {
    $defs: named(3000, (at) => [`d${at}`, { $id: `https://example.com/${at}`, type: "string" }]),
    $ref: "https://example.com/2999",
  }),

  // Towers of applicators.
  "a tower of if": checks(
    ['"x"', '{"a":1}'],
    ["1"],
    `{"type":["object","string"],"if":${nested(30, '{"if":', '{"type":"string"}', ',"then":{"minLength":1},"else":{"required":["a"]}}')}}`,
  ),
  "a tower of not": checks([], ["1"], `{"type":"string","not":${nested(61, '{"not":', '{"type":"number"}', "}")}}`),
  "unevaluated properties on every floor": checks(
    ['{"a":1}'],
    ['{"c":1}'],
    `{"type":"object","allOf":[${nested(10, '{"anyOf":[{"properties":{"a":true}},', '{"properties":{"b":true}}', '],"unevaluatedProperties":false}')}],"unevaluatedProperties":false}`,
  ),
  "three hundred branches for unevaluated properties": checks(['{"p3":"x"}'], ['{"q":"x"}', '{"p3":1,"q":1}'], {
    type: "object",
    anyOf: many(300, (at) => ({ properties: { [`p${at}`]: { type: "string" } } })),
    unevaluatedProperties: false,
  }),
  "two thousand branches of oneOf": checks(["1999"], ["2000", '"x"'], {
    oneOf: many(2000, (at) => ({ const: at })),
    type: "integer",
  }),
  "nine thousand required keys": checks(
    [text(named(9000, (at) => [`k${at}`, 1]))],
    ["{}", text(named(8999, (at) => [`k${at}`, 1]))],
    { type: "object", required: many(9000, (at) => `k${at}`) },
  ),
  "a web of dependent schemas": checks(["{}", text(named(200, (at) => [`k${at}`, 1]))], ['{"k7":1}'], {
    type: "object",
    dependentSchemas: named(200, (at) => [`k${at}`, { dependentRequired: { [`k${at}`]: [`k${(at + 1) % 200}`] } }]),
  }),
  "five hundred patterns for nothing": checks([text(named(500, (at) => [`b${at}`, "x"]))], ['{"ab499":"x"}'], {
    type: "object",
    patternProperties: named(500, (at) => [`^a.*${at}$`, { type: "number" }]),
  }),

  // Numbers.
  "a step of zero": refuses(/^\/multipleOf: /, '{"type":"number","multipleOf":0.0e5}'),
  "a step below zero": refuses(/^\/multipleOf: /, '{"type":"number","multipleOf":-2}'),
  "a step too small for a double": checks(["1", "0.3"], [], '{"type":"number","multipleOf":1e-99999999999}'),
  "a limit below zero": refuses(/^\/maxLength: /, '{"type":"string","maxLength":-1}'),
  "a limit of minus nothing": checks(['""'], ['"x"'], '{"type":"string","maxLength":-0}'),
  "half a limit": refuses(/^\/minLength: /, '{"type":"string","minLength":1.5}'),
  "limits no value can reach": checks(
    [],
    ["[1]", '"x"'],
    '{"type":["array","string"],"minItems":1e400,"minLength":9007199254740993,"contains":true,"minContains":1e400}',
  ),
  "bounds no double can hold": checks(
    ["1e401", "12e399"],
    ["9e399", "1", "1e500"],
    '{"type":"number","minimum":1e400,"exclusiveMaximum":1e500}',
  ),
  "a bound of two hundred thousand digits": checks(
    ["1e200000"],
    ["1"],
    `{"type":"number","minimum":${"9".repeat(200_000)}}`,
  ),
  "minus nothing, as a constant": checks(["0", "-0.0"], ["1"], '{"const":-0,"type":"number"}'),
  "nine thousand numbers to choose from": checks([JSON.stringify(many(9000, (at) => at))], ["[9000]"], {
    type: "array",
    items: { enum: many(9000, (at) => at) },
  }),

  // Regular expressions.
  "thirty repeats of a thousand": checks(['"xx"'], ['"xy"'], pattern(`^${"x{0,1000}".repeat(30)}$`)),
  "counted repeats inside one another": checks(...strings, pattern("^((((x{1,50}){1,50}){1,50}){1,50})$")),
  "fifty thousand open brackets": refuses(/^\/pattern: /, pattern("(".repeat(50_000) + ")".repeat(50_000))),
  "five thousand groups": checks(...strings, pattern(`^${many(5000, (at) => `(?<n${at}>a)?`).join("")}x$`)),
  "twenty thousand alternatives behind a lookahead": checks(
    ...strings,
    pattern(`^(?=x)(?:${many(20_000, (at) => `a${at}`).join("|")}|x)$`),
  ),
  "a lookbehind for sixty thousand": checks(['"ab"'], [`"${"a".repeat(20_000)}"`], pattern("(?<=a{1,60000})b")),
  "scripts of Unicode": checks(['"λόγος"'], ['"logos"'], pattern("^\\p{Script=Greek}+$")),
  "half a surrogate pair": checks(['"\\ud800"'], ['"😀"'], '{"type":"string","pattern":"^\\ud800$"}'),
  "sets of another flag": refuses(/^\/pattern: is not a regular expression/, pattern("[\\p{L}--[a-z]]")),
  "property names that backtrack": checks(['{"aa1":1}'], [text(named(500, (at) => [`${"a".repeat(40)}!${at}`, 1]))], {
    type: "object",
    propertyNames: { anyOf: many(20, (at) => ({ pattern: `^(a|a)*${at}$` })) },
  }),

  // Words with a meaning elsewhere.
  "names that every object inherits": checks(
    ['{"constructor":"x","toString":"y"}'],
    ["{}", '{"constructor":1,"toString":"y"}', '{"constructor":"x","toString":"y","valueOf":1}'],
    {
      type: "object",
      properties: named(5, (at) => [
        ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf"][at] ?? "",
        { type: "string" },
      ]),
      required: ["constructor", "toString"],
      additionalProperties: false,
    },
  ),
  "keywords that every object inherits": checks(
    ...strings,
    '{"type":"string","constructor":1,"toString":"x","__proto__":{"minLength":9},"hasOwnProperty":true}',
  ),
  "__proto__ as property and as pattern": checks(
    ['{"__proto__":"xx"}'],
    ['{"__proto__":"x"}', '{"__proto__":1}', '{"a":1}'],
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"patternProperties":{"^__proto__$":{"minLength":2}},"additionalProperties":false}',
  ),
  "__proto__ in an enum": checks(['{"__proto__":1}'], ["{}", '{"__proto__":2}'], '{"enum":[{"__proto__":1}]}'),
  "code in every text": checks(
    [text({ "a');globalThis.hit=1;('": "\u2028\u2029" })],
    ["{}", text({ "a');globalThis.hit=1;('": "x" })],
    {
      type: "object",
      title: "\u2028');globalThis.hit=1;//",
      description: "*/ globalThis.hit=1 //",
      $comment: "\u0024{globalThis.hit=1}",
      properties: {
        "'\"`\u0024{globalThis.hit=1}\u2028\\": { const: "');globalThis.hit=1;('", default: "');globalThis.hit=1//" },
        "a');globalThis.hit=1;('": {
          enum: ["\u2028\u2029"],
          pattern: "^\u2028\u2029$",
          format: "');globalThis.hit=1;('",
        },
      },
      required: ["a');globalThis.hit=1;('"],
      additionalProperties: false,
    },
  ),
  "other validators' keywords": checks(['{"a":" x "}'], ['{"a":null}'], {
    type: "object",
    properties: {
      a: {
        type: "string",
        nullable: true,
        instanceof: "Function",
        typeof: "function",
        transform: ["trim"],
        formatMinimum: "2020-01-01",
        regexp: "/(/",
        select: { $data: "0" },
        dynamicDefaults: { a: "random" },
        discriminator: { propertyName: "k" },
        errorMessage: "\u0024{/a}",
      },
    },
  }),
  "this program's own keywords": checks(['{"a":4,"b":1}'], ['{"a":"x"}'], {
    type: "object",
    properties: {
      a: { type: "number", exactMinimum: "x", exactConst: "5", exactEnum: 7, manyAnyOf: 1, manyProperties: { a: 1 } },
      b: { type: "number", exactUnevaluatedProperties: false, exactMultipleOf: "abc", containsEvaluates: true },
    },
  }),
  "values taken from elsewhere in the answer": refuses(/^\/properties\/a\/maximum: /, {
    properties: { a: { maximum: { $data: "1/b" } } },
  }),
  "a value that looks like a reference to data": checks(['{"$data":"1/b"}'], ["1"], { enum: [{ $data: "1/b" }] }),
  "an asynchronous subschema": checks(['{"a":"x"}'], ['{"a":1}'], {
    type: "object",
    properties: { a: { $async: true, type: "string" } },
  }),
  "a vocabulary of its own": checks(...strings, { $vocabulary: { "https://example.com/": true }, type: "string" }),
  "a metaschema of its own": refuses(/^\/\$schema: /, { $schema: "https://example.com/m", $defs: {} }),
  "contents that are the schema itself": checks(...strings, {
    type: "string",
    contentMediaType: "application/json",
    contentSchema: { $ref: "#" },
  }),
  "no schema but true": refuses(/must be an object/, "true"),
  "false for a key": checks(['{"a":1}'], ['{"b":1}'], { type: "object", properties: { a: true, b: false } }),
  "a keyword written twice": checks(...numbers, '{"type":"string","\\u0074ype":"number"}'),

  // Sketches.
  "two hundred thousand spaces after a type word": checks(['{"a":"x"}'], ['{"a":1}'], {
    a: `string${" ".repeat(200_000)}x`,
  }),
  "a hundred thousand bars": checks(['{"a":"a"}'], ['{"a":"c"}'], { a: `${"a|".repeat(100_000)}b` }),
  "thirty thousand options": checks(['{"a":"o29999"}'], ['{"a":"o"}'], { a: many(30_000, (at) => `o${at}`).join("|") }),
  "question marks": checks(['{"b?":1}', "{}"], ['{"b":1}'], { a: "?".repeat(200_000), "b??": "int?" }),
  "names that every object inherits, in a sketch": checks(
    ['{"__proto__":{"__proto__":"x"},"toString":["y"]}'],
    ["{}", '{"__proto__":{},"toString":[]}', '{"__proto__":{"__proto__":"x"},"toString":[],"constructor":"z"}'],
    '{"__proto__":{"__proto__":"string"},"constructor?":"int","toString":["__proto__"]}',
  ),
  "numbers that no double holds": checks(
    ['{"a":0.5,"b":-0,"c":1e30}'],
    ['{"a":1,"b":0.5,"c":1}'],
    '{"a":1e999999,"b":-0,"c":123456789012345678901234567890}',
  ),
  "nine thousand nulls": refuses(/^\/k0: null/, `{${many(9000, (at) => `"k${at}":null`).join()}}`),
  "a key of two hundred thousand characters": checks([], ["{}"], { ["k".repeat(200_000)]: "int" }),
  "line separators and quotes in keys": checks(
    ['{"\u2028":"x","\'\\"`\u0024{x}":"a"}'],
    ['{"\u2028":"x","\'\\"`\u0024{x}":"c"}'],
    '{"\u2028":"string","\'\\"`\u0024{x}":"a|b"}',
  ),
  "sixty-four levels": checks([nested(64, '{"a":', "1", "}")], ["{}"], nested(64, '{"a":', '"int"', "}")),
};
