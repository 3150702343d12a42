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
  ["```json\n{}\n```", "schema_invalid", /without quotes or a code fence/],
  ['"{\\"a\\":\\"string\\"}"', "schema_invalid", /without quotes or a code fence/],
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
  const answer = await send(await newCaller(), JSON.stringify({ video_url, schema }));
  expect(answer.code).toBe(code);
  expect(textsOf(answer)[0]?.replaceAll('\\"', '"')).toMatch(hint);
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
  ['{"schema":{"a":"string"},"video_url":"s3://bucket/a.mp4"}', "invalid_request", /absolute http\(s\) URL/],
  [`{"schema":{"a":"string"},"video_url":"[clip](${video_url})"}`, "invalid_request", /absolute http\(s\) URL/],
  ['{"schema":{"a":"string"},"video_url":"https://example.com:8000/a"}', "video_unreachable", /80, 443, 8080 or 8443/],
])("the arguments %s are refused with what to write instead", async (args, code, hint) => {
  const answer = await send(await newCaller(), args);
  expect(answer.code).toBe(code);
  expect(textsOf(answer)[0]).toMatch(hint);
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
