/** A schema that tries to break or slow the sandbox, and its expected result. */
export type HostileSchema = {
  schema: string;
  /** The expected details of its refusal. Without it, the schema is accepted. */
  refused?: RegExp;
  /** Answers that conform. */
  accepts?: readonly string[];
  /** Answers that do not conform. */
  rejects?: readonly string[];
};

const text = (schema: object) => JSON.stringify(schema);
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, at) => item(at));
const named = <Value>(count: number, entry: (index: number) => [string, Value]) =>
  Object.fromEntries(many(count, entry));
const nested = (levels: number, open: string, core: string, close: string) =>
  open.repeat(levels) + core + close.repeat(levels);
const pattern = (source: string) => text({ type: "string", pattern: source });
const strings = { accepts: ['"x"'], rejects: ["1"] };
const numbers = { accepts: ["1"], rejects: ['"x"'] };
const recursive = "https://json-schema.org/draft/2019-09/schema";

/** A chain of definitions, each based on the next, with `last` at its end. */
function chain(length: number, make: (next: object) => object, last: object): object {
  const next = (index: number) => ({ $ref: `#/$defs/a${index + 1}` });
  return { $ref: "#/$defs/a0", $defs: named(length, (at) => [`a${at}`, at < length - 1 ? make(next(at)) : last]) };
}

const references: Record<string, HostileSchema> = {
  "a recursive reference to itself": {
    schema: text({ $schema: recursive, $recursiveAnchor: true, $recursiveRef: "#" }),
    refused: /without end/,
  },
  "a tree by recursive references": {
    schema: text({
      $schema: recursive,
      $recursiveAnchor: true,
      type: "object",
      properties: { next: { $recursiveRef: "#" } },
      additionalProperties: false,
    }),
    accepts: ['{"next":{"next":{}}}'],
    rejects: ['{"next":{"other":1}}'],
  },
  "dynamic references in a ring": {
    schema: text({
      $ref: "x",
      $defs: {
        x: { $id: "x", $dynamicAnchor: "n", allOf: [{ $ref: "y" }] },
        y: { $id: "y", $dynamicAnchor: "n", allOf: [{ $dynamicRef: "#n" }] },
      },
    }),
    refused: /without end/,
  },
  "a branch that is the schema itself": {
    schema: text({ anyOf: [{ type: "string" }, { $ref: "#" }] }),
    accepts: ['"x"'],
  },
  "a chain of a thousand references": { schema: text(chain(1000, (next) => next, { type: "number" })), ...numbers },
  "an address of this program's own": {
    schema: text({ $ref: "schema:linked#/$defs/u0" }),
    refused: /nothing is fetched/,
  },
  "an identifier of this program's own": {
    schema: text({
      $id: "schema:linked",
      type: "string",
      allOf: [{ $ref: "schema:linked#/$defs/u0" }],
      $defs: { u0: { minLength: 2 } },
    }),
    accepts: ['"xx"'],
    rejects: ['"x"', "1"],
  },
  "the metaschema's identifier": {
    schema: text({ $id: "https://json-schema.org/draft/2020-12/schema", type: "string" }),
    ...strings,
  },
  "one identifier twice": {
    schema: text({ $ref: "b", $defs: { x: { $id: "b", type: "string" }, y: { $id: "b", type: "number" } } }),
    ...strings,
  },
  "an anchor of the name __proto__": {
    schema: '{"$ref":"#__proto__","$defs":{"a":{"$anchor":"__proto__","type":"string"}}}',
    ...strings,
  },
  "definitions of the names __proto__ and constructor": {
    schema:
      '{"$ref":"#/$defs/__proto__","$defs":{"__proto__":{"$ref":"#/$defs/constructor"},"constructor":{"type":"string"}}}',
    ...strings,
  },
  "a way into the prototype": { schema: text({ $ref: "#/constructor/prototype" }), refused: /there is no schema/ },
  "a way into a list's length": {
    schema: text({ $ref: "#/allOf/length", allOf: [true] }),
    refused: /there is no schema/,
  },
  "a pointer with escapes of all kinds": {
    schema: text({ $ref: "#/$defs/a%25b~1c%22", $defs: { 'a%b/c"': { type: "string" } } }),
    ...strings,
  },
  "a pointer with broken escapes": { schema: text({ $ref: "#/$defs/%E0%A4%A" }), refused: /there is no schema/ },
  "a module, as an address": { schema: text({ $ref: "node:fs" }), refused: /nothing is fetched/ },
  "a document in its address": { schema: text({ $ref: "data:application/json,{}" }), refused: /nothing is fetched/ },
  "three thousand resources": {
    schema: text({
      $defs: named(3000, (at) => [`d${at}`, { $id: `https://example.com/${at}`, type: "string" }]),
      $ref: "https://example.com/2999",
    }),
    ...strings,
  },
};

const towers: Record<string, HostileSchema> = {
  "a tower of if": {
    schema: `{"type":["object","string"],"if":${nested(30, '{"if":', '{"type":"string"}', ',"then":{"minLength":1},"else":{"required":["a"]}}')}}`,
    accepts: ['"x"', '{"a":1}'],
    rejects: ["1"],
  },
  "a tower of not": {
    schema: `{"type":"string","not":${nested(61, '{"not":', '{"type":"number"}', "}")}}`,
    accepts: [],
    rejects: ["1"],
  },
  "unevaluated properties on every floor": {
    schema: `{"type":"object","allOf":[${nested(10, '{"anyOf":[{"properties":{"a":true}},', '{"properties":{"b":true}}', '],"unevaluatedProperties":false}')}],"unevaluatedProperties":false}`,
    accepts: ['{"a":1}'],
    rejects: ['{"c":1}'],
  },
  "three hundred branches for unevaluated properties": {
    schema: text({
      type: "object",
      anyOf: many(300, (at) => ({ properties: { [`p${at}`]: { type: "string" } } })),
      unevaluatedProperties: false,
    }),
    accepts: ['{"p3":"x"}'],
    rejects: ['{"q":"x"}', '{"p3":1,"q":1}'],
  },
  "two thousand branches of oneOf": {
    schema: text({ oneOf: many(2000, (at) => ({ const: at })), type: "integer" }),
    accepts: ["1999"],
    rejects: ["2000", '"x"'],
  },
  "nine thousand required keys": {
    schema: text({ type: "object", required: many(9000, (at) => `k${at}`) }),
    accepts: [text(named(9000, (at) => [`k${at}`, 1]))],
    rejects: ["{}", text(named(8999, (at) => [`k${at}`, 1]))],
  },
  "a web of dependent schemas": {
    schema: text({
      type: "object",
      dependentSchemas: named(200, (at) => [`k${at}`, { dependentRequired: { [`k${at}`]: [`k${(at + 1) % 200}`] } }]),
    }),
    accepts: ["{}", text(named(200, (at) => [`k${at}`, 1]))],
    rejects: ['{"k7":1}'],
  },
  "five hundred patterns for nothing": {
    schema: text({ type: "object", patternProperties: named(500, (at) => [`^a.*${at}$`, { type: "number" }]) }),
    accepts: [text(named(500, (at) => [`b${at}`, "x"]))],
    rejects: ['{"ab499":"x"}'],
  },
};

const figures: Record<string, HostileSchema> = {
  "a step of zero": { schema: '{"type":"number","multipleOf":0.0e5}', refused: /^\/multipleOf: / },
  "a step below zero": { schema: '{"type":"number","multipleOf":-2}', refused: /^\/multipleOf: / },
  "a step too small for a double": { schema: '{"type":"number","multipleOf":1e-99999999999}', accepts: ["1", "0.3"] },
  "a limit below zero": { schema: '{"type":"string","maxLength":-1}', refused: /^\/maxLength: / },
  "a limit of minus nothing": { schema: '{"type":"string","maxLength":-0}', accepts: ['""'], rejects: ['"x"'] },
  "half a limit": { schema: '{"type":"string","minLength":1.5}', refused: /^\/minLength: / },
  "limits no value can reach": {
    schema:
      '{"type":["array","string"],"minItems":1e400,"minLength":9007199254740993,"contains":true,"minContains":1e400}',
    rejects: ["[1]", '"x"'],
  },
  "bounds no double can hold": {
    schema: '{"type":"number","minimum":1e400,"exclusiveMaximum":1e500}',
    accepts: ["1e401", "12e399"],
    rejects: ["9e399", "1", "1e500"],
  },
  "a bound of two hundred thousand digits": {
    schema: `{"type":"number","minimum":${"9".repeat(200_000)}}`,
    accepts: ["1e200000"],
    rejects: ["1"],
  },
  "minus nothing, as a constant": { schema: '{"const":-0,"type":"number"}', accepts: ["0", "-0.0"], rejects: ["1"] },
  "nine thousand numbers to choose from": {
    schema: text({ type: "array", items: { enum: many(9000, (at) => at) } }),
    accepts: [JSON.stringify(many(9000, (at) => at))],
    rejects: ["[9000]"],
  },
};

const patterns: Record<string, HostileSchema> = {
  "thirty repeats of a thousand": {
    schema: pattern(`^${"x{0,1000}".repeat(30)}$`),
    accepts: ['"xx"'],
    rejects: ['"xy"'],
  },
  "counted repeats inside one another": { schema: pattern("^((((x{1,50}){1,50}){1,50}){1,50})$"), ...strings },
  "fifty thousand open brackets": { schema: pattern("(".repeat(50_000) + ")".repeat(50_000)), refused: /^\/pattern: / },
  "five thousand groups": { schema: pattern(`^${many(5000, (at) => `(?<n${at}>a)?`).join("")}x$`), ...strings },
  "twenty thousand alternatives behind a lookahead": {
    schema: pattern(`^(?=x)(?:${many(20_000, (at) => `a${at}`).join("|")}|x)$`),
    ...strings,
  },
  "a lookbehind for sixty thousand": {
    schema: pattern("(?<=a{1,60000})b"),
    accepts: ['"ab"'],
    rejects: [`"${"a".repeat(20_000)}"`],
  },
  "scripts of Unicode": { schema: pattern("^\\p{Script=Greek}+$"), accepts: ['"λόγος"'], rejects: ['"logos"'] },
  "half a surrogate pair": {
    schema: '{"type":"string","pattern":"^\\ud800$"}',
    accepts: ['"\\ud800"'],
    rejects: ['"😀"'],
  },
  "sets of another flag": { schema: pattern("[\\p{L}--[a-z]]"), refused: /^\/pattern: is not a regular expression/ },
  "property names that backtrack": {
    schema: text({ type: "object", propertyNames: { anyOf: many(20, (at) => ({ pattern: `^(a|a)*${at}$` })) } }),
    accepts: ['{"aa1":1}'],
    rejects: [text(named(500, (at) => [`${"a".repeat(40)}!${at}`, 1]))],
  },
};

const words: Record<string, HostileSchema> = {
  "names that every object inherits": {
    schema: text({
      type: "object",
      properties: named(5, (at) => [
        ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf"][at] ?? "",
        { type: "string" },
      ]),
      required: ["constructor", "toString"],
      additionalProperties: false,
    }),
    accepts: ['{"constructor":"x","toString":"y"}'],
    rejects: ["{}", '{"constructor":1,"toString":"y"}', '{"constructor":"x","toString":"y","valueOf":1}'],
  },
  "keywords that every object inherits": {
    schema: '{"type":"string","constructor":1,"toString":"x","__proto__":{"minLength":9},"hasOwnProperty":true}',
    ...strings,
  },
  "__proto__ as property and as pattern": {
    schema:
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"patternProperties":{"^__proto__$":{"minLength":2}},"additionalProperties":false}',
    accepts: ['{"__proto__":"xx"}'],
    rejects: ['{"__proto__":"x"}', '{"__proto__":1}', '{"a":1}'],
  },
  "__proto__ in an enum": {
    schema: '{"enum":[{"__proto__":1}]}',
    accepts: ['{"__proto__":1}'],
    rejects: ["{}", '{"__proto__":2}'],
  },
  "code in every text": {
    schema: text({
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
    }),
    accepts: [text({ "a');globalThis.hit=1;('": "\u2028\u2029" })],
    rejects: ["{}", text({ "a');globalThis.hit=1;('": "x" })],
  },
  "other validators' keywords": {
    schema: text({
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
    accepts: ['{"a":" x "}'],
    rejects: ['{"a":null}'],
  },
  "this program's own keywords": {
    schema: text({
      type: "object",
      properties: {
        a: { type: "number", exactMinimum: "x", exactConst: "5", exactEnum: 7, manyAnyOf: 1, manyProperties: { a: 1 } },
        b: { type: "number", exactUnevaluatedProperties: false, exactMultipleOf: "abc", containsEvaluates: true },
      },
    }),
    accepts: ['{"a":4,"b":1}'],
    rejects: ['{"a":"x"}'],
  },
  "values taken from elsewhere in the answer": {
    schema: text({ properties: { a: { maximum: { $data: "1/b" } } } }),
    refused: /^\/properties\/a\/maximum: /,
  },
  "a value that looks like a reference to data": {
    schema: text({ enum: [{ $data: "1/b" }] }),
    accepts: ['{"$data":"1/b"}'],
    rejects: ["1"],
  },
  "an asynchronous subschema": {
    schema: text({ type: "object", properties: { a: { $async: true, type: "string" } } }),
    accepts: ['{"a":"x"}'],
    rejects: ['{"a":1}'],
  },
  "a vocabulary of its own": {
    schema: text({ $vocabulary: { "https://example.com/": true }, type: "string" }),
    ...strings,
  },
  "a metaschema of its own": {
    schema: text({ $schema: "https://example.com/m", $defs: {} }),
    refused: /^\/\$schema: /,
  },
  "contents that are the schema itself": {
    schema: text({ type: "string", contentMediaType: "application/json", contentSchema: { $ref: "#" } }),
    ...strings,
  },
  "no schema but true": { schema: "true", refused: /must be an object/ },
  "false for a key": {
    schema: text({ type: "object", properties: { a: true, b: false } }),
    accepts: ['{"a":1}'],
    rejects: ['{"b":1}'],
  },
  "a keyword written twice": { schema: '{"type":"string","\\u0074ype":"number"}', ...numbers },
};

const sketches: Record<string, HostileSchema> = {
  "two hundred thousand spaces after a type word": {
    schema: text({ a: `string${" ".repeat(200_000)}x` }),
    accepts: ['{"a":"x"}'],
    rejects: ['{"a":1}'],
  },
  "a hundred thousand bars": {
    schema: text({ a: `${"a|".repeat(100_000)}b` }),
    accepts: ['{"a":"a"}'],
    rejects: ['{"a":"c"}'],
  },
  "thirty thousand options": {
    schema: text({ a: many(30_000, (at) => `o${at}`).join("|") }),
    accepts: ['{"a":"o29999"}'],
    rejects: ['{"a":"o"}'],
  },
  "question marks": {
    schema: text({ a: "?".repeat(200_000), "b??": "int?" }),
    accepts: ['{"b?":1}', "{}"],
    rejects: ['{"b":1}'],
  },
  "names that every object inherits, in a sketch": {
    schema: '{"__proto__":{"__proto__":"string"},"constructor?":"int","toString":["__proto__"]}',
    accepts: ['{"__proto__":{"__proto__":"x"},"toString":["y"]}'],
    rejects: [
      "{}",
      '{"__proto__":{},"toString":[]}',
      '{"__proto__":{"__proto__":"x"},"toString":[],"constructor":"z"}',
    ],
  },
  "numbers that no double holds": {
    schema: '{"a":1e999999,"b":-0,"c":123456789012345678901234567890}',
    accepts: ['{"a":0.5,"b":-0,"c":1e30}'],
    rejects: ['{"a":1,"b":0.5,"c":1}'],
  },
  "nine thousand nulls": { schema: `{${many(9000, (at) => `"k${at}":null`).join()}}`, refused: /^\/k0: null/ },
  "a key of two hundred thousand characters": { schema: text({ ["k".repeat(200_000)]: "int" }), rejects: ["{}"] },
  "line separators and quotes in keys": {
    schema: '{"\u2028":"string","\'\\"`\u0024{x}":"a|b"}',
    accepts: ['{"\u2028":"x","\'\\"`\u0024{x}":"a"}'],
    rejects: ['{"\u2028":"x","\'\\"`\u0024{x}":"c"}'],
  },
  "sixty-four levels": {
    schema: nested(64, '{"a":', '"int"', "}"),
    accepts: [nested(64, '{"a":', "1", "}")],
    rejects: ["{}"],
  },
};

/** Hostile schemas, by their attack. Each one is refused with details or enforced like any other. */
export const hostileSchemas: Readonly<Record<string, HostileSchema>> = {
  ...references,
  ...towers,
  ...figures,
  ...patterns,
  ...words,
  ...sketches,
};
