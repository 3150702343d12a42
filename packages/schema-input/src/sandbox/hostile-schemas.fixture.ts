/** A schema that looks for trouble, as it is sent, and what must come of it. */
export type HostileSchema = {
  schema: string;
  /** What its refusal says; it is accepted without. */
  refused?: RegExp;
  /** Answers that conform. */
  takes?: readonly string[];
  /** Answers that do not. */
  refuses?: readonly string[];
};

const text = (schema: object) => JSON.stringify(schema);
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, at) => item(at));
const named = <Value>(count: number, entry: (index: number) => [string, Value]) =>
  Object.fromEntries(many(count, entry));
const nested = (levels: number, open: string, core: string, close: string) =>
  open.repeat(levels) + core + close.repeat(levels);
const pattern = (source: string) => text({ type: "string", pattern: source });
const strings = { takes: ['"x"'], refuses: ["1"] };
const numbers = { takes: ["1"], refuses: ['"x"'] };
const recursive = "https://json-schema.org/draft/2019-09/schema";

/** A chain of definitions, each made of the next, with `last` at its end. */
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
    takes: ['{"next":{"next":{}}}'],
    refuses: ['{"next":{"other":1}}'],
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
    takes: ['"x"'],
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
    takes: ['"xx"'],
    refuses: ['"x"', "1"],
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
    takes: ['"x"', '{"a":1}'],
    refuses: ["1"],
  },
  "a tower of not": {
    schema: `{"type":"string","not":${nested(61, '{"not":', '{"type":"number"}', "}")}}`,
    takes: [],
    refuses: ["1"],
  },
  "unevaluated properties on every floor": {
    schema: `{"type":"object","allOf":[${nested(10, '{"anyOf":[{"properties":{"a":true}},', '{"properties":{"b":true}}', '],"unevaluatedProperties":false}')}],"unevaluatedProperties":false}`,
    takes: ['{"a":1}'],
    refuses: ['{"c":1}'],
  },
  "three hundred branches for unevaluated properties": {
    schema: text({
      type: "object",
      anyOf: many(300, (at) => ({ properties: { [`p${at}`]: { type: "string" } } })),
      unevaluatedProperties: false,
    }),
    takes: ['{"p3":"x"}'],
    refuses: ['{"q":"x"}', '{"p3":1,"q":1}'],
  },
  "two thousand branches of oneOf": {
    schema: text({ oneOf: many(2000, (at) => ({ const: at })), type: "integer" }),
    takes: ["1999"],
    refuses: ["2000", '"x"'],
  },
  "nine thousand required keys": {
    schema: text({ type: "object", required: many(9000, (at) => `k${at}`) }),
    takes: [text(named(9000, (at) => [`k${at}`, 1]))],
    refuses: ["{}", text(named(8999, (at) => [`k${at}`, 1]))],
  },
  "a web of dependent schemas": {
    schema: text({
      type: "object",
      dependentSchemas: named(200, (at) => [`k${at}`, { dependentRequired: { [`k${at}`]: [`k${(at + 1) % 200}`] } }]),
    }),
    takes: ["{}", text(named(200, (at) => [`k${at}`, 1]))],
    refuses: ['{"k7":1}'],
  },
  "five hundred patterns for nothing": {
    schema: text({ type: "object", patternProperties: named(500, (at) => [`^a.*${at}$`, { type: "number" }]) }),
    takes: [text(named(500, (at) => [`b${at}`, "x"]))],
    refuses: ['{"ab499":"x"}'],
  },
};

const figures: Record<string, HostileSchema> = {
  "a step of zero": { schema: '{"type":"number","multipleOf":0.0e5}', refused: /^\/multipleOf: / },
  "a step below zero": { schema: '{"type":"number","multipleOf":-2}', refused: /^\/multipleOf: / },
  "a step too small for a double": { schema: '{"type":"number","multipleOf":1e-99999999999}', takes: ["1", "0.3"] },
  "a limit below zero": { schema: '{"type":"string","maxLength":-1}', refused: /^\/maxLength: / },
  "a limit of minus nothing": { schema: '{"type":"string","maxLength":-0}', takes: ['""'], refuses: ['"x"'] },
  "half a limit": { schema: '{"type":"string","minLength":1.5}', refused: /^\/minLength: / },
  "limits no value can reach": {
    schema:
      '{"type":["array","string"],"minItems":1e400,"minLength":9007199254740993,"contains":true,"minContains":1e400}',
    refuses: ["[1]", '"x"'],
  },
  "bounds no double can hold": {
    schema: '{"type":"number","minimum":1e400,"exclusiveMaximum":1e500}',
    takes: ["1e401", "12e399"],
    refuses: ["9e399", "1", "1e500"],
  },
  "a bound of two hundred thousand digits": {
    schema: `{"type":"number","minimum":${"9".repeat(200_000)}}`,
    takes: ["1e200000"],
    refuses: ["1"],
  },
  "minus nothing, as a constant": { schema: '{"const":-0,"type":"number"}', takes: ["0", "-0.0"], refuses: ["1"] },
  "nine thousand numbers to choose from": {
    schema: text({ type: "array", items: { enum: many(9000, (at) => at) } }),
    takes: [JSON.stringify(many(9000, (at) => at))],
    refuses: ["[9000]"],
  },
};

const patterns: Record<string, HostileSchema> = {
  "thirty repeats of a thousand": {
    schema: pattern(`^${"x{0,1000}".repeat(30)}$`),
    takes: ['"xx"'],
    refuses: ['"xy"'],
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
    takes: ['"ab"'],
    refuses: [`"${"a".repeat(20_000)}"`],
  },
  "scripts of Unicode": { schema: pattern("^\\p{Script=Greek}+$"), takes: ['"λόγος"'], refuses: ['"logos"'] },
  "half a surrogate pair": {
    schema: '{"type":"string","pattern":"^\\ud800$"}',
    takes: ['"\\ud800"'],
    refuses: ['"😀"'],
  },
  "sets of another flag": { schema: pattern("[\\p{L}--[a-z]]"), refused: /^\/pattern: is not a regular expression/ },
  "property names that backtrack": {
    schema: text({ type: "object", propertyNames: { anyOf: many(20, (at) => ({ pattern: `^(a|a)*${at}$` })) } }),
    takes: ['{"aa1":1}'],
    refuses: [text(named(500, (at) => [`${"a".repeat(40)}!${at}`, 1]))],
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
    takes: ['{"constructor":"x","toString":"y"}'],
    refuses: ["{}", '{"constructor":1,"toString":"y"}', '{"constructor":"x","toString":"y","valueOf":1}'],
  },
  "keywords that every object inherits": {
    schema: '{"type":"string","constructor":1,"toString":"x","__proto__":{"minLength":9},"hasOwnProperty":true}',
    ...strings,
  },
  "__proto__ as property and as pattern": {
    schema:
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"patternProperties":{"^__proto__$":{"minLength":2}},"additionalProperties":false}',
    takes: ['{"__proto__":"xx"}'],
    refuses: ['{"__proto__":"x"}', '{"__proto__":1}', '{"a":1}'],
  },
  "__proto__ in an enum": {
    schema: '{"enum":[{"__proto__":1}]}',
    takes: ['{"__proto__":1}'],
    refuses: ["{}", '{"__proto__":2}'],
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
    takes: [text({ "a');globalThis.hit=1;('": "\u2028\u2029" })],
    refuses: ["{}", text({ "a');globalThis.hit=1;('": "x" })],
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
    takes: ['{"a":" x "}'],
    refuses: ['{"a":null}'],
  },
  "this program's own keywords": {
    schema: text({
      type: "object",
      properties: {
        a: { type: "number", exactMinimum: "x", exactConst: "5", exactEnum: 7, manyAnyOf: 1, manyProperties: { a: 1 } },
        b: { type: "number", exactUnevaluatedProperties: false, exactMultipleOf: "abc", containsEvaluates: true },
      },
    }),
    takes: ['{"a":4,"b":1}'],
    refuses: ['{"a":"x"}'],
  },
  "values taken from elsewhere in the answer": {
    schema: text({ properties: { a: { maximum: { $data: "1/b" } } } }),
    refused: /^\/properties\/a\/maximum: /,
  },
  "a value that looks like a reference to data": {
    schema: text({ enum: [{ $data: "1/b" }] }),
    takes: ['{"$data":"1/b"}'],
    refuses: ["1"],
  },
  "an asynchronous subschema": {
    schema: text({ type: "object", properties: { a: { $async: true, type: "string" } } }),
    takes: ['{"a":"x"}'],
    refuses: ['{"a":1}'],
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
    takes: ['{"a":1}'],
    refuses: ['{"b":1}'],
  },
  "a keyword written twice": { schema: '{"type":"string","\\u0074ype":"number"}', ...numbers },
};

const sketches: Record<string, HostileSchema> = {
  "two hundred thousand spaces after a type word": {
    schema: text({ a: `string${" ".repeat(200_000)}x` }),
    takes: ['{"a":"x"}'],
    refuses: ['{"a":1}'],
  },
  "a hundred thousand bars": {
    schema: text({ a: `${"a|".repeat(100_000)}b` }),
    takes: ['{"a":"a"}'],
    refuses: ['{"a":"c"}'],
  },
  "thirty thousand options": {
    schema: text({ a: many(30_000, (at) => `o${at}`).join("|") }),
    takes: ['{"a":"o29999"}'],
    refuses: ['{"a":"o"}'],
  },
  "question marks": {
    schema: text({ a: "?".repeat(200_000), "b??": "int?" }),
    takes: ['{"b?":1}', "{}"],
    refuses: ['{"b":1}'],
  },
  "names that every object inherits, in a sketch": {
    schema: '{"__proto__":{"__proto__":"string"},"constructor?":"int","toString":["__proto__"]}',
    takes: ['{"__proto__":{"__proto__":"x"},"toString":["y"]}'],
    refuses: [
      "{}",
      '{"__proto__":{},"toString":[]}',
      '{"__proto__":{"__proto__":"x"},"toString":[],"constructor":"z"}',
    ],
  },
  "numbers that no double holds": {
    schema: '{"a":1e999999,"b":-0,"c":123456789012345678901234567890}',
    takes: ['{"a":0.5,"b":-0,"c":1e30}'],
    refuses: ['{"a":1,"b":0.5,"c":1}'],
  },
  "nine thousand nulls": { schema: `{${many(9000, (at) => `"k${at}":null`).join()}}`, refused: /^\/k0: null/ },
  "a key of two hundred thousand characters": { schema: text({ ["k".repeat(200_000)]: "int" }), refuses: ["{}"] },
  "line separators and quotes in keys": {
    schema: '{"\u2028":"string","\'\\"`\u0024{x}":"a|b"}',
    takes: ['{"\u2028":"x","\'\\"`\u0024{x}":"a"}'],
    refuses: ['{"\u2028":"x","\'\\"`\u0024{x}":"c"}'],
  },
  "sixty-four levels": {
    schema: nested(64, '{"a":', '"int"', "}"),
    takes: [nested(64, '{"a":', "1", "}")],
    refuses: ["{}"],
  },
};

/** Schemas that look for trouble, by what they try: each is refused with details, or enforced like any other. */
export const hostileSchemas: Readonly<Record<string, HostileSchema>> = {
  ...references,
  ...towers,
  ...figures,
  ...patterns,
  ...words,
  ...sketches,
};
