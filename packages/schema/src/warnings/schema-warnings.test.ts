import { expect, test } from "vitest";
import { schemaWarnings } from "./schema-warnings.ts";

const lines = (schema: object | string) =>
  schemaWarnings(typeof schema === "string" ? schema : JSON.stringify(schema)).map(
    ({ path, message, hint }) => `${path}: ${message} ${hint}`,
  );

test.for([
  [
    "a properties map",
    { title: { type: "string" }, count: { type: "integer" } },
    /^: Each value here looks like a JSON Schema.*"title": "string"/,
  ],
  [
    "a schema for one value",
    { name: "string", n: { type: "integer" } },
    /^\/n: .*object with the keys `type`.*write "n": "integer"/,
  ],
  [
    "a schema for an array",
    { name: "string", n: { type: "array", items: { type: "string" } } },
    /^\/n: .*"n": \["string"\]/,
  ],
  ["an empty list", { scenes: [] }, /^\/scenes: This is an array of strings\..*\["string"\]/],
  ["an empty object", { scenes: [{ who: {} }] }, /^\/scenes\/0\/who: This is an object without keys/],
  ["a key without a name", { "": "string" }, /^\/: The key has no name/],
  ["a list's mark in a key", { "goals (list)": ["string"] }, /^\/goals \(list\): The brackets.*write "goals": \[/],
  ["a number as the first key", { goals: { "0": { by: "string" } } }, /^\/goals\/0: This placeholder.*write a list/],
  ["a unit for a time", { at: "seconds" }, /^\/at: .*not a number\..*"at_seconds"/],
  ["words with commas", { mood: "happy, sad, angry" }, /^\/mood: .*any text is allowed.*between bars/],
  ["a list of fields", { fields: [{ name: "title", type: "string" }] }, /^\/fields\/0: .*write "title": "string"/],
  ["a placeholder in braces", { title: "{{title}}" }, /^\/title: This placeholder.*write a type word/],
  ["a placeholder in angles", { title: "<the title>" }, /^\/title: This placeholder/],
  ["three dots", { title: "..." }, /^\/title: This placeholder/],
  ["TODO", { title: "TODO" }, /^\/title: This placeholder/],
  ["z.string()", { title: "z.string()" }, /^\/title: .*write "string", "a\|b" for a choice/],
  ["Literal[…]", { speaker: "Literal['host','guest']" }, /^\/speaker: .*"a\|b" for a choice/],
  ["Option<…>", { title: "Option<String>" }, /^\/title: .*"string\?"/],
  ["Maybe", { title: "Maybe String" }, /^\/title: .*"string\?"/],
  ["an object in quotes", { goals: ["{at, scorer}"] }, /^\/goals\/0: .*keys outside of quotes/],
  ["an interface", { goal: "interface Goal { at: string }" }, /^\/goal: .*keys outside of quotes/],
  ["a sized integer", { n: "int64" }, /^\/n: .*not an int64\. write "integer"/],
  ["an unsigned integer", { n: "u32" }, /^\/n: .*write "integer"/],
  ["a sized float", { n: "float32" }, /^\/n: .*write "number"/],
  ["Set[…]", { tags: "Set[str]" }, /^\/tags: .*write one element in brackets/],
  ["a map in words", { a: "map of string to int" }, /^\/a: .*write the keys that you want/],
  ["a range with a dash", { a: "0-1" }, /^\/a: .*write "number — 0-1"$/],
  ["a range with to", { a: "0.0 to 1.0" }, /^\/a: .*write "number — 0\.0 to 1\.0"$/],
  ["a range with dots", { a: "1..5" }, /^\/a: .*write "number — 1\.\.5"$/],
  ["a star after a key", { "title*": "string" }, /^\/title\*: The marks are part of the key\. write "title"$/],
  ["a word after a key", { "title (required)": "string" }, /: The marks are part of the key\. write "title"$/],
  ["a type in a key", { "title: string": "" }, /: The marks are part of the key\. write "title"$/],
  ["a sketch in a wrapper", { schema: { a: "string" } }, /^\/schema: .*send the value of `schema` alone$/],
  [
    "options beside a type",
    { type: "object", properties: { a: { type: "string", options: ["x", "y"] } } },
    /^\/properties\/a\/options: .*no effect\. write `enum`$/,
  ],
  [
    "a misspelt required key",
    { type: "object", properties: { title: { type: "string" } }, required: ["tittle"] },
    /^\/required\/0: `properties` has no `tittle`.*write `title`$/,
  ],
  ["the word array", { scenes: "array" }, /^\/scenes: .*not an array.*write \["string"\]/],
  ["the word object", { a: { b: "object?" } }, /^\/a\/b: .*write \{"key": "string"\}/],
  ["array<string>", { a: "array<string>" }, /^\/a: .*write one element in brackets/],
  ["brackets in quotes", { a: "[string]" }, /^\/a: .*the brackets are inside of the quotes/],
  ["null", { a: "null" }, /^\/a: .*"string\?"/],
  ["a range in brackets", { a: "integer (0-10)" }, /^\/a: .*to ask for an integer, write "integer — 0-10"$/],
  ["a format in brackets", { a: "timestamp (MM:SS)" }, /^\/a: .*write "timestamp — MM:SS"$/],
  ["words after a type", { a: ["number of goals"] }, /^\/a\/0: .*write "number — of goals"$/],
  ["a question", { a: "Who scored?" }, /^\/a: The question mark.* optional\. .*"string — Who scored"$/],
  ["a question after a type", { a: "bool — is it on?" }, /^\/a: The question mark.*"bool — is it on"$/],
  ["null among words", { a: "home|away|null" }, /^\/a: .*the word "null"\..*write "home\|away\?"$/],
  ["words that mean absence", { a: "optional string" }, /^\/a: .*do not make the field optional\. write "string\?"$/],
  ["a type or null in words", { a: "int or null" }, /^\/a: .*write "int\?"$/],
  ["Optional[…]", { a: "Optional[float]" }, /^\/a: .*write "float\?"$/],
  ["a type beside undefined", { a: "string|undefined" }, /^\/a: .*the word "string"\. write "string\?"$/],
  ["a type with list after it", { a: "string list" }, /^\/a: .*write \["string"\]$/],
  ["a type in angle brackets", { a: "<int>" }, /^\/a: .*write "int"$/],
  ["a type with a comma", { a: "integer, goals" }, /^\/a: .*write "integer — goals"$/],
  ["words after options", { a: "a|b|c (default a)" }, /^\/a: The last word is "c \(default a\)".*write "a\|b\|c — …"$/],
  ["MM:SS in words", { moment: "the moment as MM:SS" }, /^\/moment: .*write "timestamp"$/],
  [
    "a type among words",
    { a: "home|string" },
    /^\/a: .*the word "string"\. for any text, write "string — such as home"$/,
  ],
  ["true|false", { a: "true|false" }, /^\/a: .*write "boolean"$/],
  ["numbers as options", { a: "1|2|3" }, /^\/a: .*numbers as text/],
  ["options in quotes", { a: "'home'|'away'" }, /^\/a: .*write "home\|away"$/],
  ["a choice with slashes", { a: "home/away" }, /^\/a: .*between bars/],
  ["one of", { a: "one of home, away" }, /^\/a: .*between bars/],
  ["MM:SS", { moment: "MM:SS" }, /^\/moment: .*write "timestamp"$/],
  ["an example time", { moment: "00:12" }, /^\/moment: .*write "timestamp"$/],
  ["a number in quotes", { n: "0" }, /^\/n: .*write "integer"$/],
  ["true in quotes", { n: "true" }, /^\/n: .*write "boolean"$/],
  ["a number at a timestamp key", { start: "number" }, /^\/start: The key `start` makes this a time.*"start_seconds"$/],
  ["0 at a timestamp key", '{"end":0}', /^\/end: The key `end` makes this a time/],
  ["another spelling of a timestamp key", { startTime: "string" }, /^\/startTime: .*write "timestamp"$/],
  ["a key with brackets", { "goals[]": "string" }, /^\/goals\[\]: The brackets are part of the key/],
  ["several elements", { a: ["string", "int"] }, /^\/a: Only the first element.*other one is ignored/],
  [
    "words as elements",
    { a: ["home", "away"] },
    /^\/a: Only the first element.*write "home\|away"; for several of them, \["home\|away"\]$/,
  ],
  [
    "a JSON Schema without a telling key",
    { definitions: { a: {} }, required: ["a"] },
    /^\/definitions: The root is read as a sketch.*add `\$schema`/,
  ],
  [
    "a sketch with the key type",
    { a: "int", type: "string" },
    /^: The root has `type`, so .*where `a` asks for nothing\. .*one level deeper/,
  ],
  ["a sketch of keywords", { type: "string", title: "string" }, /^: The root has `type`.*`title` asks for nothing/],
  ["a library's schema object", { def: { type: "object" }, type: "object" }, /^: The root has `type`.*`def` asks/],
  [
    "a sketch under $schema",
    { $schema: "https://json-schema.org/draft/2020-12/schema", a: "string", b: ["time"] },
    /^: The root has `\$schema`.*`a`, `b` ask for nothing\. for a sketch, leave `\$schema` out/,
  ],
  [
    "a named JSON Schema",
    { name: "n", strict: true, schema: { type: "object", properties: { a: { type: "string" } } } },
    /^\/schema: The schema is inside of `schema`.*the keys `name`, `strict`, `schema`\. send the value of `schema` alone$/,
  ],
  ["a type for any value", { a: "any" }, /^\/a: .*not an any\. write "string"$/],
  ["a map in brackets", { a: "Dict[str, int]" }, /^\/a: .*not a dict\. write the keys that you want/],
  ["a bare string", { type: "string" }, /^\/type: The whole answer is one string/],
  ["a schema for any object", { type: "object" }, /^: Every object conforms/],
  ["a type with an exclamation mark", { a: "String!" }, /^\/a: .*write "string"$/],
  ["a string in angle brackets", { a: "<string>" }, /^\/a: .*write "string"$/],
  ["two words with or", { a: "home or away" }, /^\/a: .*between bars/],
  ["List[str]", { a: "List[str]" }, /^\/a: .*write one element in brackets/],
  ["list of strings", { a: "list of strings" }, /^\/a: .*write one element in brackets/],
  ["a sketch under items", { items: { name: "string", "n?": 0 } }, /^\/items: .*where `name`, `n\?` ask for nothing/],
  ["a sketch of keywords under items", { items: { title: "string" } }, /^\/items: .*where `title` ask for nothing/],
  ["a misspelt type", { properties: { a: { typ: "string" } } }, /^\/properties\/a\/typ: .*write `type`$/],
  [
    "a misspelt word deep inside",
    { type: "array", items: { type: "object", propertys: { a: { type: "string" } } } },
    /^\/items\/propertys: .*write `properties`$/,
  ],
  [
    "nullable",
    { type: "object", properties: { a: { type: "string", nullable: true } } },
    /^\/properties\/a\/nullable: .*write "type": \["string", "null"\]/,
  ],
  ["a date and time", { a: "datetime" }, /^\/a: .*not a datetime\. write "timestamp" for a time in the video/],
  ["a unit of time", { a: "seconds" }, /^\/a: .*write "integer — seconds"$/],
  ["a unit in letters", { a: "ms" }, /^\/a: .*write "integer — milliseconds"$/],
  ["a type of databases", { a: "varchar" }, /^\/a: .*write "string"$/],
  ["a type in quotes", { a: "'string'" }, /^\/a: .*write "string"$/],
  ["a mark before a type", { a: "?int" }, /^\/a: .*write "int\?"$/],
  ["a type in the plural", { a: "strings" }, /^\/a: .*not a list\. write \["string"\]$/],
  ["two times in a text", { a: "00:00 - 00:10" }, /^\/a: .*write \{"start": "timestamp", "end": "timestamp"\}$/],
  ["start and end in a text", { a: "start and end times" }, /^\/a: .*write \{"start": "timestamp"/],
  ["a reference", { a: "$ref:#/b" }, /^\/a: .*only a JSON Schema has `\$ref`$/],
  ["an object without keys in quotes", { a: "{}" }, /^\/a: .*keys outside of quotes/],
  ["a bound", { a: ">= 0" }, /^\/a: .*write "number — >= 0"$/],
  ["a pattern", { a: "/^[A-Z]+$/" }, /^\/a: .*send a JSON Schema with `pattern`$/],
  ["whether", { a: "whether it rains" }, /^\/a: .*write "boolean — whether it rains"$/],
  ["a question with yes or no", { a: "Is it a goal?" }, /^\/a: .*write "boolean — Is it a goal"$/],
  ["how many", { a: "how many goals" }, /^\/a: .*write "integer — how many goals"$/],
  ["three words with or", { a: "red or blue or green" }, /^\/a: .*between bars/],
  ["either", { a: "either home or away" }, /^\/a: .*between bars/],
  ["words with spaced slashes", { a: "red / blue / green" }, /^\/a: .*between bars/],
  ["dots as a key", { a: "string", "...": "" }, /^\/\.\.\.: .*leave this one out$/],
  ["a placeholder as a key", { "[name: string]": "int" }, /: This placeholder is read as a key.*\[\{"name"/],
  ["a flag beside a value", { a: { value: "number", optional: true } }, /^\/a: .*keys `value`, `optional`/],
  ["a type under another word", { a: { $type: "string" } }, /^\/a: .*write "a": "string"$/],
  ["a schema as an element", { a: [{ type: "string" }] }, /^\/a\/0: .*for one value, write "string"$/],
  [
    "optional in a JSON Schema",
    { type: "object", properties: { a: { type: "string", optional: true } } },
    /^\/properties\/a\/optional: .*leave the key out of `required`$/,
  ],
  [
    "bounds of other libraries",
    { type: "object", properties: { a: { type: "integer", min: 1 } } },
    /^\/properties\/a\/min: .*write `minimum`$/,
  ],
  [
    "a length of other libraries",
    { type: "object", properties: { a: { type: "string", max: 5 } } },
    /^\/properties\/a\/max: .*write `maxLength`$/,
  ],
  [
    "a required format that no video shows",
    { type: "object", properties: { a: { type: "string", format: "uuid" } }, required: ["a"] },
    /^\/properties\/a: A video rarely shows a `uuid`.*leave `a` out of `required`$/,
  ],
] as const)("%s is a warning with its place and what to write", ([, schema, line]) => {
  expect(lines(schema)[0]).toMatch(line);
});

test.for([
  { goals: [{ at: "timestamp", team: "home|away", "player?": "string" }], "n?": 0, ok: true },
  { a: "string", b: "int? — how many", c: "bool: on", d: ["time"], e: ["time", "time"], f: "what happens" },
  { at: "when the ball is over the line", b: "when it rains", c: "at the gate", d: "time-lapse", e: "text/plain" },
  { start: "string", end: "timestamp", start_time: "text" },
  { event: { type: "goal|foul" }, kind: { type: "the kind" }, ratio: "16:9|4:3" },
  { a: ["x"], b: { a: "x" }, c: "x|y?", d: "string?", e: "?" },
  { $schema: "https://json-schema.org/draft/2020-12/schema", type: "string", more: 1 },
  { type: "object", properties: { a: { type: "string" } }, required: ["a"], title: "A", "x-y": 1, $comment: "c" },
  { type: "array", items: { type: "string" } },
  {
    type: "object",
    properties: { note: { title: "Text" }, any: {}, b: { note: "x", type: "string" } },
    required: ["any"],
  },
  { type: "object", properties: { a: { format: "date", type: "string" }, u: { format: "uri" } }, required: ["a"] },
  { type: "object", properties: { type: { type: "string" }, typ: { type: "string" } }, required: ["typ"] },
  { anyOf: [{ type: "string" }, { type: "null" }] },
  { $schema: "https://json-schema.org/draft/2020-12/schema", required: ["a"], more: "string" },
  { event: { type: "string", at: "timestamp" }, events: [{ type: "string", at: "timestamp" }] },
  { optional: "boolean", required: "boolean — is a ticket required", tool: { name: "string", description: "string" } },
  {
    a: "count the goals and say who scored",
    b: "start and end of the match as text",
    c: "date",
    d: "flag of the country",
  },
  {
    a: "references to films",
    b: "times when the crowd cheers",
    c: "minutes of the meeting",
    d: "real name of the actor",
  },
  { type: "object", properties: { min: { type: "number" }, of: { type: "string" }, fields: { type: "string" } } },
  { schema: "string", name: "string", parameters: ["string"], json_schema: { version: "int" } },
])("%j has no warning", (schema) => {
  expect(lines(schema)).toEqual([]);
});

test("warnings are bounded, and a text that is not a schema has none", () => {
  const many = Object.fromEntries(
    Array.from({ length: 3000 }, (_, at) => [`${"k".repeat(50)}${at}`, `integer (${"x".repeat(350)})`]),
  );
  const found = schemaWarnings(JSON.stringify(many));
  expect(found).toHaveLength(20);
  for (const { path, message, hint } of found)
    for (const text of [path, message, hint]) expect(text.length).toBeLessThanOrEqual(300);
  for (const text of ["", "{", "[]", "7", "{}", `${'{"a":'.repeat(100)}0${"}".repeat(100)}`])
    expect(schemaWarnings(text)).toEqual([]);
});

test("a long text costs linear time", () => {
  const before = process.cpuUsage();
  for (const text of ["(", "[", "a,", "a/", "int (", "string ", "'|'", "optional ", "\\n", "a?", "a(", " — "])
    schemaWarnings(
      JSON.stringify({ a: text.repeat(250_000 / text.length), b: `x|${text.repeat(100_000 / text.length)}` }),
    );
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(10_000);
});
