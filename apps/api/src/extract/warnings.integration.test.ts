import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { answerJob, openHeldCall } from "./held-call.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ maxJobsPerAccount: 100, extractionsPerMinute: 10_000 });
});
afterAll(() => api[Symbol.asyncDispose]());

const newCaller = () => api.newCaller(`${randomUUID()}@example.com`);
const video_url = "http://127.0.0.1:1/v.mp4";
const strict = { prefer: "respond-async, handling=strict" };

/** Sends a request, answers its job, and returns what its caller received. */
async function extract(more: object, { headers = {}, path = "/v1/extract" } = {}) {
  const caller = await newCaller();
  const call = await openHeldCall(api.url, { ...caller.headers, ...headers }, { more, path });
  const id = call.response.headers.get("job-id");
  if (id) await answerJob(api.db, { id, accountId: caller.accountId }, '{"tags":"a"}');
  await call.text;
  return { headers: call.response.headers, events: call.events, caller };
}

const refused = async (body: object, headers: Record<string, string> = {}, path = "/v1/extract") => {
  const caller = await newCaller();
  const answer = await failure(
    fetch(api.url + path, {
      method: "POST",
      headers: { ...caller.headers, "content-type": "application/json", ...headers },
      body: JSON.stringify({ schema: { a: "string" }, video_url, ...body }),
    }),
  );
  const [jobs] = await api.db.execute(`select count(*)::int as n from jobs where account_id = '${caller.accountId}'`);
  expect(jobs).toEqual({ n: 0 });
  return answer;
};

test("a doubtful schema runs to the letter, and the response says how many doubts there are, and which", async () => {
  const { headers, events } = await extract({ schema: { tags: "array<string>" }, duration: 7 });
  expect(headers.get("extract-warnings")).toBe("2");
  const warnings = events.filter(({ name }) => name === "warning").map(({ data }) => JSON.parse(data));
  expect(events.slice(0, 3).map(({ name }) => name)).toEqual(["admitted", "warning", "warning"]);
  expect(warnings[0]).toMatchObject({ path: "/tags", hint: expect.stringContaining('["string"]') });
  expect(warnings[1]).toMatchObject({ path: "", message: expect.stringContaining("`duration`") });
  expect((await extract({})).headers.get("extract-warnings")).toBeNull();
});

test.each([
  [{ tags: "List[str]" }, /^\/tags: /],
  [{ a: { type: "string" } }, /^\/a: /],
  [{ name: "n", strict: true, schema: { type: "object", properties: { a: { type: "string" } } } }, /^\/schema: /],
  [{ items: { name: "string" } }, /^\/items: /],
  [{ type: "object", properties: { a: { type: "string", nullable: true } } }, /^\/properties\/a\/nullable: /],
  [
    { type: "object", properties: { a: { type: "integer", minimum: 5, maximum: 1 } }, required: ["a"] },
    /No answer can/,
  ],
])("with `handling=strict` the schema %j is refused for free, with what to write", async (schema, line) => {
  const { code, error } = await refused({ schema }, strict);
  expect(code).toBe("schema_invalid");
  expect(error.details?.[0]).toMatch(line);
});

test("with `handling=strict` a plain schema runs, and so does a member without effect", async () => {
  const { headers } = await extract({ duration: 7 }, { headers: strict });
  expect(headers.get("preference-applied")).toBe("handling=strict");
  expect(headers.get("extract-warnings")).toBe("1");
});

test.each([
  ["clips", "clip"],
  ["clip_start", "clip"],
  ["start", "clip"],
  ["Clip", "clip"],
  ["instuctions", "instructions"],
  ["prompt", "instructions"],
  ["details", "detail"],
  ["json_schema", "schema"],
  ["videoUrl", "video_url"],
  ["url", "video_url"],
])("the member `%s` is refused before anything is charged, and the message names `%s`", async (name, right) => {
  const message = expect.stringContaining(`Write \`${right}\``);
  expect(await refused({ [name]: "x" })).toMatchObject({ code: "invalid_request", error: { message } });
  const caller = await newCaller();
  const form = new FormData();
  for (const [key, value] of [
    ["schema", '{"a":"string"}'],
    [name, "x"],
    ["video_url", video_url],
  ] as const)
    form.append(key, value);
  const sent = fetch(`${api.url}/v1/extract`, { method: "POST", headers: caller.headers, body: form });
  expect(await failure(sent)).toMatchObject({ code: "invalid_request", error: { message } });
});

test("a part of a form without a name has no effect", async () => {
  const caller = await newCaller();
  const part = (head: string, text: string) => `--b\r\nContent-Disposition: form-data${head}\r\n\r\n${text}\r\n`;
  const body = `${part("", "x")}${part('; name=""', "x")}${part('; name="schema"', '{"a":"string"}')}--b--\r\n`;
  const headers = { ...caller.headers, "content-type": "multipart/form-data; boundary=b" };
  const answer = await failure(fetch(`${api.url}/v1/extract`, { method: "POST", headers, body }));
  expect(answer.code).toBe("video_missing");
});

test("query parameters that are members of the body, and misnamed ones of a list, are refused", async () => {
  expect((await refused({}, {}, "/v1/extract?clip=x")).error.message).toContain("Send it in the body");
  const { headers } = await newCaller();
  const list = await failure(fetch(`${api.url}/v1/jobs?offset=5`, { headers }));
  expect(list).toMatchObject({ code: "invalid_request", error: { message: expect.stringContaining("`cursor`") } });
  expect((await fetch(`${api.url}/v1/jobs?trace=1`, { headers })).status).toBe(200);
});
