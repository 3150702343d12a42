import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startTestApi({ maxUploadBytes: 1_000_000, maxInstructionsCharacters: 100, extractionsPerMinute: 10_000 });
  ({ headers } = await api.newCaller("caller@example.com"));
});
afterAll(() => api[Symbol.asyncDispose]());

const sketch = '{"title":"string"}';
const file = () => new File([new Uint8Array(1000)], "clip.mp4");

function form(...parts: [string, string | File][]): FormData {
  const made = new FormData();
  for (const [name, value] of parts) made.append(name, value);
  return made;
}
const post = (body: FormData | string | Uint8Array<ArrayBuffer>, extra: Record<string, string> = {}) =>
  failure(fetch(`${api.url}/v1/extract`, { method: "POST", headers: { ...headers, ...extra }, body }));
const postJson = (body: unknown) =>
  post(typeof body === "string" ? body : JSON.stringify(body), { "content-type": "application/json" });

const forms: [string, [string, string | File][], string][] = [
  ["neither schema nor video", [], "schema_missing"],
  ["a file without schema", [["video", file()]], "schema_missing"],
  [
    "a schema that is not JSON",
    [
      ["schema", "{"],
      ["video", file()],
    ],
    "schema_invalid",
  ],
  [
    "an empty schema",
    [
      ["video", file()],
      ["schema", ""],
    ],
    "schema_invalid",
  ],
  ["a bad schema and no video", [["schema", "[]"]], "schema_invalid"],
  [
    "a clip that ends before it begins",
    [
      ["schema", sketch],
      ["clip", '{"start":"02:00","end":"01:00"}'],
      ["video_url", "http://a.example/v"],
    ],
    "invalid_request",
  ],
  [
    "an unknown detail",
    [
      ["schema", sketch],
      ["detail", "ultra"],
      ["video_url", "http://a.example/v"],
    ],
    "invalid_request",
  ],
  ["a schema without video", [["schema", sketch]], "video_missing"],
  [
    "an empty URL",
    [
      ["schema", sketch],
      ["video_url", " "],
    ],
    "video_missing",
  ],
  [
    "a file under another name",
    [
      ["schema", sketch],
      ["file", file()],
    ],
    "invalid_request",
  ],
  [
    "file and URL",
    [
      ["video", file()],
      ["video_url", "http://a.example/v"],
      ["schema", sketch],
    ],
    "invalid_request",
  ],
  [
    "URL and file",
    [
      ["schema", sketch],
      ["video_url", "http://a.example/v"],
      ["video", file()],
    ],
    "invalid_request",
  ],
  [
    "two files",
    [
      ["schema", sketch],
      ["video", file()],
      ["video", file()],
    ],
    "invalid_request",
  ],
  [
    "two schemas",
    [
      ["schema", sketch],
      ["schema", sketch],
      ["video", file()],
    ],
    "invalid_request",
  ],
  [
    "a video as text",
    [
      ["schema", sketch],
      ["video", "bytes"],
    ],
    "invalid_request",
  ],
  [
    "long instructions",
    [
      ["schema", sketch],
      ["video", file()],
      ["instructions", "é".repeat(101)],
    ],
    "invalid_request",
  ],
  [
    "a NUL in the instructions",
    [
      ["schema", sketch],
      ["video", file()],
      ["instructions", "a\0b"],
    ],
    "invalid_request",
  ],
  [
    "an invalid URL",
    [
      ["schema", sketch],
      ["video_url", "clip.mp4"],
    ],
    "invalid_request",
  ],
  [
    "a blocked URL",
    [
      ["schema", sketch],
      ["video_url", "http://169.254.169.254/"],
    ],
    "video_unreachable",
  ],
  [
    "a large file",
    [
      ["schema", sketch],
      ["video", new File([new Uint8Array(1_000_001)], "a")],
    ],
    "file_too_large",
  ],
  [
    "a larger file before the schema",
    [
      ["video", new File([new Uint8Array(5_000_000)], "a")],
      ["schema", "{"],
    ],
    "file_too_large",
  ],
];

test.each(forms)("a form with %s leaves nothing behind", async (_name, parts, code) => {
  expect((await post(form(...parts))).code).toBe(code);
  expect(await api.stored()).toEqual([]);
});

const bodies: [string, unknown, string][] = [
  ["no body", "", "invalid_request"],
  ["invalid JSON", "{", "invalid_request"],
  ["an array", [], "invalid_request"],
  ["an empty object", {}, "schema_missing"],
  ["a schema as text", { schema: sketch, video_url: "http://a.example/v" }, "schema_invalid"],
  ["a null schema", { schema: null, video_url: "http://a.example/v" }, "schema_invalid"],
  ["a schema without video", { schema: { a: "string" } }, "video_missing"],
  ["a null URL", { schema: { a: "string" }, video_url: null }, "video_missing"],
  ["a number as URL", { schema: { a: "string" }, video_url: 7 }, "invalid_request"],
  [
    "instructions that are a list",
    { schema: { a: "string" }, video_url: "http://a.example/v", instructions: [] },
    "invalid_request",
  ],
  ["a member twice", '{"schema":{"a":0},"schema":{"a":0},"video_url":"http://a.example/v"}', "invalid_request"],
  ["half a character", Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x7d]), "invalid_request"],
];

test.each(bodies)("a JSON body with %s", async (_name, body, code) => {
  const sent =
    body instanceof Buffer ? post(new Uint8Array(body), { "content-type": "application/json" }) : postJson(body);
  expect((await sent).code).toBe(code);
});

test.each([{ clip: { start: "02:00", end: "01:00" } }, { clip: "01:00-02:00" }, { detail: "ultra" }, { detail: 3 }])(
  "a JSON body with %j is refused",
  async (options) => {
    const body = { schema: { title: "string" }, video_url: "http://a.example/v", ...options };
    expect(await postJson(body)).toMatchObject({ code: "invalid_request" });
  },
);
test("an account that cannot cover a minute is refused before its upload is read", async () => {
  const poor = await api.newCaller("poor@example.com", 59);
  const answer = await failure(
    fetch(`${api.url}/v1/extract`, { method: "POST", headers: poor.headers, body: form(["schema", "{"]) }),
  );
  expect([answer.status, answer.code]).toEqual([402, "out_of_minutes"]);
});

test.each(["{", '{"schema":{}}', '{"schema":{"a":"string"},"video_url":"https://example.com/v.mp4"}'])(
  "an account that cannot cover a minute gets that error before any fault of its JSON body: %s",
  async (body) => {
    const poor = await api.newCaller(`poor-${body.length}@example.com`, 59);
    const headers = { ...poor.headers, "content-type": "application/json" };
    const answer = await failure(fetch(`${api.url}/v1/extract`, { method: "POST", headers, body }));
    expect([answer.status, answer.code]).toEqual([402, "out_of_minutes"]);
  },
);
