import { randomUUID } from "node:crypto";
import { clipOf } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { answerJob } from "../extract/held-call.harness.ts";
import { allJobs, callTool } from "./mcp-calls.harness.ts";

/** Calls of a model that has read the texts of the tools hastily. */
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ maxJobsPerAccount: 100 });
});
afterAll(() => api[Symbol.asyncDispose]());

const video_url = "http://127.0.0.1:1/clip.mp4";
let callers = 0;
const newCaller = () => api.newCaller(`guess-${++callers}@example.com`);
type Caller = Awaited<ReturnType<typeof newCaller>>;
const send = ({ headers }: Caller, argumentsText: string, tool = "extract") =>
  callTool({ url: api.url, headers, era: "modern" }, tool, argumentsText);
const textsOf = ({ result }: Awaited<ReturnType<typeof send>>) => (result?.content ?? []).map(({ text }) => text);

test.each([
  [{ price: "number|null" }, "schema_invalid", /\/price: .*"number\?"/],
  [{ product: "string | null" }, "schema_invalid", /\/product: .*"string\?"/],
  [{ list: "string[]" }, "schema_invalid", /\/list: .*\["string"\]/],
  [{ note: null }, "schema_invalid", /\/note: .*null/],
  [{ items: ["string"] }, "schema_invalid", /items/],
  [{ type: "ad|news" }, "schema_invalid", /\/type: /],
  [{}, "schema_invalid", /name at least one key/],
  [["string"], "schema_invalid", /must be an object: a sketch such as/],
  ["the goals", "schema_invalid", /must be an object: a sketch such as/],
  ['{"a": string}', "schema_invalid", /not valid JSON/],
  ['[{"a":"string"}]', "schema_invalid", /must be an object: a sketch such as/],
  ["```json\n{}\n```", "schema_invalid", /name at least one key/],
  ['Here it is: ```json\n{"a":"string"}\n```', "schema_invalid", /without quotes or a code fence/],
  ["title: string\nscore: int", "schema_invalid", /a sketch such as/],
  ["class Match(BaseModel):\n  a: str", "schema_invalid", /a sketch such as/],
  ["interface A { a: string }", "schema_invalid", /a sketch such as/],
  ["", "schema_invalid", /a sketch such as/],
  [5, "schema_invalid", /a sketch such as/],
  [true, "schema_invalid", /a sketch such as/],
  [[{ a: "string" }], "schema_invalid", /a sketch such as/],
  [{ a: "str | None" }, "schema_invalid", /"str\?"/],
  [{ a: "String[]" }, "schema_invalid", /\["String"\]/],
  [{ a: "yes||no" }, "schema_invalid", /\/a: /],
  [{ a: "string", "a?": "string" }, "schema_invalid", /a/],
  [{ tags: "array<string>" }, "schema_invalid", /\/tags: .*\["string"\]/],
  [{ tags: "List[str]" }, "schema_invalid", /\/tags: .*\["string"\]/],
  [{ tags: "list of strings" }, "schema_invalid", /\/tags: .*\["string"\]/],
  [{ tags: "array of objects" }, "schema_invalid", /\/tags: /],
  [{ tags: "Array<number>" }, "schema_invalid", /\/tags: /],
  [{ tags: "list" }, "schema_invalid", /\/tags: /],
  [{ a: "Optional[int]" }, "schema_invalid", /\/a: .*"int\?"/],
  [{ a: "String!" }, "schema_invalid", /\/a: /],
  [{ a: "<string>" }, "schema_invalid", /\/a: /],
  [{ title: { type: "string" } }, "schema_invalid", /\/title: /],
  [{ title: { type: "string", description: "the title" } }, "schema_invalid", /\/title/],
  [{ items: { name: "string" } }, "schema_invalid", /\/items: /],
  [{ properties: { a: { typ: "string" } } }, "schema_invalid", /\/properties\/a/],
  [{ properties: { a: "string" } }, "schema_invalid", /\/properties/],
  [{ type: "object", properties: { a: { type: "string", nullable: true } } }, "schema_invalid", /nullable/],
  [{ type: "object", required: ["a"], properties: { a: false } }, "schema_invalid", /No answer can/],
  [{ type: "object", required: true, properties: { a: { type: "string" } } }, "schema_invalid", /required/],
  [{ type: "object", properties: { a: { type: "str" } } }, "schema_invalid", /"string"/],
  [{ type: "object", properties: { a: { type: "timestamp" } } }, "schema_invalid", /\/properties\/a\/type/],
  [{ $ref: "https://example.com/schema.json" }, "schema_invalid", /ref/],
  [{ type: "object", properties: { a: { $ref: "#/definitions/none" } } }, "schema_invalid", /ref/],
  [{ enum: [] }, "schema_invalid", /./],
  [
    {
      type: "object",
      required: ["at"],
      properties: { at: { type: "string", format: "date-time" } },
    },
    "schema_invalid",
    /rarely shows a `date-time`/,
  ],
  [{ type: "json_object" }, "schema_invalid", /type/],
  [{ name: "n", parameters: { type: "object", properties: {} } }, "schema_invalid", /parameters/],
  [{ function: { name: "n", parameters: { type: "object", properties: {} } } }, "schema_invalid", /function/],
  ["z.object({ a: z.string() })", "schema_invalid", /a sketch such as {"title": "string"}/],
  ["{a: string}", "schema_invalid", /put quotes around the key "a"/],
  ["{'a': 'string', 'b': None}", "schema_invalid", /use double quotes/],
  ['{"a": "string", // the name\n"b": "int"}', "schema_invalid", /remove the comment/],
  ['{"a": "string",}', "schema_invalid", /remove the comma/],
  [["title", "summary"], "schema_invalid", /a sketch such as {"title": "string"}/],
  [
    { type: "OBJECT", properties: { a: { type: "STRING" } } },
    "schema_invalid",
    /\/properties\/a\/type: write "string"/,
  ],
  [
    { type: "json_schema", json_schema: { schema: {} } },
    "schema_invalid",
    /the value of `schema` in `json_schema` alone/,
  ],
  [null, "schema_invalid", /a sketch such as {"title": "string"}/],
])("the schema %j is refused with what to write instead", async (schema, code, hint) => {
  const caller = await newCaller();
  const answer = await send(caller, JSON.stringify({ video_url, schema }));
  expect(answer.code).toBe(code);
  expect(textsOf(answer)[0]?.replaceAll('\\"', '"')).toMatch(hint);
  expect(await allJobs(api.db, caller.accountId)).toEqual([]);
});

test.each([
  [
    '{"schema":{"a":"string"},"url":"http://127.0.0.1:1/a"}',
    "invalid_request",
    /`url` is not an argument\. Write `video_url`/,
  ],
  [
    `{"video_url":"${video_url}","json_schema":{"a":"string"}}`,
    "invalid_request",
    /`json_schema` is not an argument\. Write `schema`/,
  ],
  ['{"schema":{"a":"string"},"video_url":"/home/me/clip.mp4"}', "invalid_request", /local file .*POST \/v1\/extract/],
  ['{"schema":{"a":"string"},"video_url":"clip.mp4"}', "invalid_request", /https:\/\/example.com\/video.mp4/],
  [
    '{"input":{"schema":{"a":"string"},"video_url":"http://127.0.0.1:1/a"}}',
    "schema_missing",
    /\/input: is not an argument/,
  ],
  [
    `{"video_url":"${video_url}","prompt":"which colour?"}`,
    "invalid_request",
    /`prompt` is not an argument\. Write `instructions`/,
  ],
  [`{"video_url":["${video_url}"],"schema":{"a":"string"}}`, "invalid_request", /\/video_url: must be string/],
  ['{"schema":{"a":"string"},"video_url":"s3://bucket/a.mp4"}', "invalid_request", /presigned/],
  [`{"schema":{"a":"string"},"video_url":"[clip](${video_url})"}`, "invalid_request", /absolute http\(s\) URL/],
  ['{"schema":{"a":"string"},"video_url":"https://example.com:8000/a"}', "video_unreachable", /80, 443, 8080 or 8443/],
  ...(
    [
      [{ clips: { start: "00:01" } }, /Write `clip`/],
      [{ clip_start: "00:01" }, /Write `clip`/],
      [{ start: "00:01" }, /Write `clip`/],
      [{ time_range: "00:01-00:05" }, /Write `clip`/],
      [{ Clip: { start: "00:01" } }, /Write `clip`/],
      [{ instuctions: "x" }, /Write `instructions`/],
      [{ question: "x" }, /Write `instructions`/],
      [{ resolution: "high" }, /Write `detail`/],
      [{ details: "high" }, /Write `detail`/],
      [{ videoUrl: "https://example.com/a.mp4" }, /Write `video_url`/],
      [{ output_schema: { a: "string" } }, /Write `schema`/],
      [{ detail: "medium" }, /low, standard, high/],
      [{ detail: 2 }, /\/detail: must be string/],
      [{ clip: "00:01-00:05" }, /not a JSON object/],
      [{ clip: ["00:01", "00:05"] }, /not a JSON object/],
      [{ clip: { from: "00:01" } }, /other members than `start` and `end`/],
      [{ clip: { start: 1, end: 5 } }, /is not MM:SS/],
      [{ clip: { start: "1.5" } }, /is not MM:SS/],
      [{ clip: { start: "01:00", end: "00:30" } }, /ends before it has begun/],
      [{ clip: { start: "01:00:00" } }, /is not MM:SS/],
      [{ instructions: ["x"] }, /\/instructions: must be string/],
      [{ accept_warnings: "maybe" }, /neither true nor false/],
      [{ video_url: "data:video/mp4;base64,AAAA" }, /absolute http\(s\) URL/],
      [{ video_url: "file:///home/me/a.mp4" }, /local file|absolute http\(s\) URL/],
      [{ video_url: "example.com/a.mp4" }, /absolute http\(s\) URL/],
      [{ video_url: `${video_url} https://example.com/b.mp4` }, /holds several addresses/],
    ] as const
  ).map(([more, hint]): [string, string, RegExp] => [
    JSON.stringify({ video_url, schema: { a: "string" }, ...more }),
    "invalid_request",
    hint,
  ]),
])("the arguments %s are refused with what to write instead", async (args, code, hint) => {
  const caller = await newCaller();
  const answer = await send(caller, args);
  expect(answer.code).toBe(code);
  expect(textsOf(answer)[0]).toMatch(hint);
  expect(await allJobs(api.db, caller.accountId)).toEqual([]);
});

const sketch = '{"a":"string"}';
const firstSecond = { startSeconds: 1, endSeconds: null };
test.each([
  [{ schema: `\`\`\`json\n${sketch}\n\`\`\`` }, {}],
  [{ schema: `\`\`\`\n${sketch}\`\`\`` }, {}],
  [{ schema: JSON.stringify(sketch) }, {}],
  [{ schema: `\`\`\`json\n${JSON.stringify(sketch)}\n\`\`\`` }, {}],
  [{ schema: ` ${sketch}\n` }, {}],
  [{ clip: { start: "0:01" } }, { clip: firstSecond }],
  [{ clip: { start: "00:00:01" } }, { clip: firstSecond }],
  [{ clip: '{"start":"0:01"}' }, { clip: firstSecond }],
  [{ clip: '```json\n{"start":"00:01"}\n```' }, { clip: firstSecond }],
  [{ clip: null }, { clip: null }],
  [{ clip: {} }, { clip: null }],
  [{ detail: "High" }, { detail: "high" }],
  [{ detail: " LOW " }, { detail: "low" }],
  [{ detail: null }, { detail: null }],
  [{ instructions: "" }, { instructions: null }],
  [{ video_url: ` ${video_url}\n` }, {}],
  [{ accept_warnings: "true" }, {}],
])("the arguments %j are taken as they are meant", async (more, meant) => {
  const caller = await newCaller();
  const stop = new AbortController();
  const args = JSON.stringify({ video_url, schema: { a: "string" }, ...more });
  const target = { url: api.url, headers: caller.headers, era: "legacy", signal: stop.signal } as const;
  const call = callTool(target, "extract", args).catch(() => {});
  await expect.poll(async () => (await allJobs(api.db, caller.accountId)).length, { interval: 20 }).toBe(1);
  const [job] = await allJobs(api.db, caller.accountId);
  const clip = job ? clipOf(job) : undefined;
  const { schemaText, instructions, detail } = job ?? {};
  const plain = { schemaText: sketch, clip: null, detail: null, instructions: null };
  expect({ schemaText, instructions, detail, clip }).toEqual({ ...plain, ...meant });
  stop.abort();
  await call;
});

test("recent_extractions takes a limit and a choice that are texts", async () => {
  const caller = await newCaller();
  const list = await send(caller, '{"limit":"5"}', "recent_extractions");
  expect(list.result?.structuredContent).toEqual({ extractions: [] });
  const read = await send(caller, `{"id":"${randomUUID()}","evidence":"true"}`, "recent_extractions");
  expect(read.code).toBe("not_found");
  expect((await send(caller, '{"limit":"many"}', "recent_extractions")).code).toBe("invalid_request");
});

test.each([
  [
    '{"title":{"type":"string"},"count":{"type":"integer"}}',
    '{"title":{"type":"a"},"count":{"type":1}}',
    /\(root\): .*"title": "string"/,
  ],
  ['{"name":"string","type":"string"}', '"a"', /one string/],
  ['{"scenes":"array"}', '{"scenes":"a"}', /\/scenes/],
  ['{"start":"number"}', '{"start":"00:01"}', /\/start/],
  ['{"score":"integer (0-10)"}', '{"score":"5"}', /\/score/],
  ['{"$schema":"https://json-schema.org/draft/2020-12/schema","a":"string"}', "{}", /`a` asks for nothing/],
  [
    '{"name":"n","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}}}}',
    '{"name":"n","strict":true,"schema":{"type":"a","properties":{"a":{"type":"b"}}}}',
    /send the value of `schema` alone/,
  ],
  ['{"mood":{"enum":["calm","tense"]}}', '{"mood":{"enum":["calm"]}}', /write "calm\|tense"/],
  ['{"a":["string","null"]}', '{"a":["b"]}', /\/a: Only the first element/],
])(
  "the schema %s is refused for free, and with accepted warnings the answer says what is doubtful",
  async (schema, data, doubt) => {
    const caller = await newCaller();
    const refused = await send(caller, `{"video_url":"${video_url}","schema":${schema}}`);
    expect(refused.code).toBe("schema_invalid");
    expect(textsOf(refused)[0]).toContain("accept_warnings");
    expect(await allJobs(api.db, caller.accountId)).toEqual([]);
    const answer = send(caller, `{"video_url":"${video_url}","schema":${schema},"accept_warnings":true}`);
    await expect.poll(async () => (await allJobs(api.db, caller.accountId)).length, { interval: 20 }).toBe(1);
    const [job] = await allJobs(api.db, caller.accountId);
    if (job) await answerJob(api.db, job, data);
    const { result } = await answer;
    const [text, note, ...more] = textsOf(await answer);
    expect(JSON.parse(text ?? "")).toEqual(result?.structuredContent);
    expect(note).toMatch(doubt);
    expect(more).toEqual([]);
  },
);

test("unknown arguments are named beside the answer, and the error of an unknown tool names the tools", async () => {
  const caller = await newCaller();
  const answer = send(caller, `{"video_url":"${video_url}","schema":{"a":"string"},"duration":12}`);
  await expect.poll(async () => (await allJobs(api.db, caller.accountId)).length, { interval: 20 }).toBe(1);
  const [job] = await allJobs(api.db, caller.accountId);
  if (job) await answerJob(api.db, job, '{"a":"b"}');
  const line = /`duration` is not an argument, and has no effect/;
  expect(textsOf(await answer)).toEqual([expect.stringContaining('"a":"b"'), expect.stringMatching(line)]);
  const list = await send(caller, `{"job_id":"${job?.id}"}`, "recent_extractions");
  expect(textsOf(list)[1]).toMatch(/\/job_id: is not an argument; the arguments are id, video_url, limit, evidence/);
  expect((await send(caller, "{}", "extract_video")).text).toContain("The tools are extract and recent_extractions.");
});

test("a schema as a string of JSON is read as it is written: `0` asks for an integer and `0.0` for a number", async () => {
  const caller = await newCaller();
  const written = '{"10": "string", "count": 0, "share": 0.0}';
  const answer = send(caller, JSON.stringify({ video_url, schema: `\n${written} ` }));
  await expect.poll(async () => (await allJobs(api.db, caller.accountId)).length, { interval: 20 }).toBe(1);
  const [job] = await allJobs(api.db, caller.accountId);
  expect(job?.schemaText).toBe(written);
  // The same clip as an object joins the job.
  const alike = send(caller, `{"video_url":"${video_url}","schema":${written}}`);
  await expect.poll(async () => api.openWaits(), { interval: 20 }).toBe(2);
  if (job) await answerJob(api.db, job, '{"10":"a","count":1,"share":0.5}');
  for (const { result } of await Promise.all([answer, alike])) {
    expect(result).toMatchObject({ structuredContent: { id: job?.id } });
    expect(result?.content).toHaveLength(1);
  }
});

test("REST takes no schema as a string in a JSON body", async () => {
  const { headers } = await newCaller();
  const response = await fetch(`${api.url}/v1/extract`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ video_url, schema: '{"a":"string"}' }),
  });
  expect(await response.json()).toMatchObject({ error: { code: "schema_invalid" } });
});
