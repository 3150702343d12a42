import { once } from "node:events";
import { connect } from "node:net";
import { openRawConnection } from "@video-to-json/http-server/testing";
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
    "video_missing",
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

test("other content types, a missing boundary and a truncated body are invalid requests", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/mixed; boundary=a",
  ]) {
    expect((await post("a=b", { "content-type": type })).code).toBe("invalid_request");
  }
  const cut = `--b\r\ncontent-disposition: form-data; name="schema"\r\n\r\n${sketch}`;
  expect((await post(cut, { "content-type": "multipart/form-data; boundary=b" })).code).toBe("invalid_request");
});

const heads: [string, string][] = [
  ["a malformed header", "Bad Header"],
  ["no header at all", ""],
  ["a space in a header's name", "content disposition: form-data; name=schema"],
  ["a control character", 'content-disposition: form-data; name="a\u0001b"'],
  ["a line feed within", 'content-disposition: form-data;\n name="schema"'],
  ["a very long header", `content-disposition: form-data; name="video"; filename="${"x".repeat(200_000)}"`],
];

test.each(heads)("a part with %s is an invalid request, and the process survives", async (_name, head) => {
  const body = `--b\r\n${head}\r\n\r\nx\r\n--b\r\n${head}\r\n\r\nx\r\n--b--\r\n`;
  const { status, code } = await post(body, { "content-type": "multipart/form-data; boundary=b" });
  expect([status, /^(invalid_request|schema_missing)$/.test(code)]).toEqual([400, true]);
});

test.each(["schema", "instructions"])(
  "bytes in `%s` that are not UTF-8 are refused, in a field and in a file part",
  async (name) => {
    const code = name === "schema" ? "schema_invalid" : "invalid_request";
    for (const extra of ["", '; filename="a.json"']) {
      const body = Buffer.from(
        `--b\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n{"a\xe9":"string"}\r\n--b--\r\n`,
        "latin1",
      );
      expect((await post(new Uint8Array(body), { "content-type": "multipart/form-data; boundary=b" })).code).toBe(code);
    }
  },
);

test.each(["utf-16", "utf-32", "x", "hex", "utf-7", "gb18030"])(
  "a part whose charset is %s is refused because it is not UTF-8",
  async (charset) => {
    const part = `content-disposition: form-data; name="schema"\r\ncontent-type: text/plain; charset=${charset}`;
    const body = `--b\r\n${part}\r\n\r\n{"a":"string"}\r\n--b--\r\n`;
    const { code, error } = await post(body, { "content-type": "multipart/form-data; boundary=b" });
    expect([code, error.details?.[0]]).toEqual(["schema_invalid", expect.stringContaining("is not UTF-8")]);
  },
);

test("two idempotency keys in one request are invalid", async () => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${headers.authorization}\r\nidempotency-key: a\r\nidempotency-key: b\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
  );
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"invalid_request"/);
  socket.destroy();
});

test.each([
  ["no Host", `GET /v1/me HTTP/1.1\r\n\r\n`, 400],
  ["an unknown expectation", `GET /v1/me HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n\r\n`, 401],
  ["CONNECT", `CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`, 400],
])("a request with %s gets an Error body and a request id", async (_name, request, status) => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(request);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*x-request-id[\\s\\S]*"error":`, "i"));
  socket.destroy();
});

test("a bad schema is refused while the upload still arrives", async () => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n` +
      `--b\r\ncontent-disposition: form-data; name="schema"\r\n\r\n{"a":null}\r\n--b\r\ncontent-disposition: form-data; name="video"; filename="v"\r\n\r\n` +
      "x".repeat(100_000),
  );
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 400 /);
  socket.destroy();
  await expect.poll(() => api.stored()).toEqual([]);
});

test("the upload of a caller that goes away in the middle is deleted", async () => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n` +
      `--b\r\ncontent-disposition: form-data; name="video"; filename="v"\r\n\r\n${"x".repeat(200_000)}`,
  );
  await expect.poll(async () => (await api.stored()).length).toBe(1);
  socket.destroy();
  await expect.poll(() => api.stored()).toEqual([]);
});

test("the empty file part of a browser's form is not kept, and the URL becomes the job", async () => {
  const caller = await api.newCaller("empty-part@example.com");
  const jobs = () => api.db.execute(`select video_url from jobs where account_id = '${caller.accountId}'`);
  const part = (name: string, extra: string, text: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n${text}\r\n`;
  const body = `${part("video", '; filename=""\r\ncontent-type: application/octet-stream', "")}${part("schema", "", sketch)}${part("video_url", "", "http://a.example/v")}--b--\r\n`;
  using connection = await openRawConnection(api.port);
  connection.send(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${caller.headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await expect
    .poll(async () => [connection.received(), await jobs()])
    .toEqual(["", [{ video_url: '"http://a.example/v"' }]]);
  expect(await api.stored()).toEqual([]);
});

test("an upload that pauses for too long is refused and deleted", async () => {
  await using hasty = await startTestApi({}, 1);
  const caller = await hasty.newCaller("still@example.com");
  const socket = connect(hasty.port, "127.0.0.1");
  socket.write(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${caller.headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n` +
      `--b\r\ncontent-disposition: form-data; name="video"; filename="v"\r\n\r\nxxxx`,
  );
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/The upload paused for 1 s/);
  socket.destroy();
  await expect.poll(() => hasty.stored()).toEqual([]);
});

test("a part that begins in the packet of a bad form does not delay the response", async () => {
  const socket = connect(api.port, "127.0.0.1");
  const schema = '--b\r\ncontent-disposition: form-data; name="schema"\r\n\r\n{"a":"int"}\r\n';
  socket.write(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n` +
      `${schema}${schema}--b\r\ncontent-disposition: form-data; name="instructions"; filename="i"\r\n\r\nxxxx`,
  );
  const [chunk] = (await once(socket, "data", { signal: AbortSignal.timeout(20_000) })) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 400 [\s\S]*`schema` twice/);
  socket.destroy();
});

test("an upload below the minimum rate is refused; one above it may take any time", async () => {
  await using hasty = await startTestApi({}, 1);
  const send = async (email: string, bytes: number, everyMs: number) => {
    const caller = await hasty.newCaller(email);
    const socket = connect(hasty.port, "127.0.0.1");
    socket.write(
      `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${caller.headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n` +
        `--b\r\ncontent-disposition: form-data; name="video"; filename="v"\r\n\r\n`,
    );
    const timer = setInterval(() => socket.write("x".repeat(bytes)), everyMs);
    socket.once("close", () => clearInterval(timer));
    return { answer: once(socket, "data"), socket };
  };
  const steady = await send("steady@example.com", 2048, 200);
  const trickle = await send("trickle@example.com", 10, 100);
  const again = await trickle.answer.then(() => send("again@example.com", 10, 100));
  for (const { answer, socket } of [trickle, again]) {
    expect(String((await answer)[0])).toMatch(/400 [\s\S]*slower than 1024 bytes a second/);
    socket.destroy();
  }
  // Two windows have passed in which slow uploads were refused, and this one still arrives.
  const state = await Promise.race([
    steady.answer.then(() => "answered"),
    hasty.stored().then((names) => names.length),
  ]);
  expect(state).toBe(1);
  steady.socket.destroy();
  await expect.poll(() => hasty.stored()).toEqual([]);
});

test("a caller with Expect: 100-continue is refused before it uploads", async () => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(
    "POST /v1/extract HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n",
  );
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test("input that is not HTTP still gets an Error body", async () => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write("NONSENSE\r\n\r\n");
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/);
  socket.destroy();
});

test("an account that cannot cover a minute is refused before its upload is read", async () => {
  const poor = await api.newCaller("poor@example.com", 59);
  const answer = await failure(
    fetch(`${api.url}/v1/extract`, { method: "POST", headers: poor.headers, body: form(["schema", "{"]) }),
  );
  expect([answer.status, answer.code]).toEqual([402, "out_of_minutes"]);
});

test.each(["{", '{"schema":{}}', '{"schema":{"a":"string"},"video_url":"https://example.com/v.mp4"}'])(
  "an account that cannot cover a minute learns that before any fault of its JSON body: %s",
  async (body) => {
    const poor = await api.newCaller(`poor-${body.length}@example.com`, 59);
    const headers = { ...poor.headers, "content-type": "application/json" };
    const answer = await failure(fetch(`${api.url}/v1/extract`, { method: "POST", headers, body }));
    expect([answer.status, answer.code]).toEqual([402, "out_of_minutes"]);
  },
);

test.each([{ clip: { start: "02:00", end: "01:00" } }, { clip: "01:00-02:00" }, { detail: "ultra" }, { detail: 3 }])(
  "a JSON body with %j is refused",
  async (options) => {
    const body = { schema: { title: "string" }, video_url: "http://a.example/v", ...options };
    expect(await postJson(body)).toMatchObject({ code: "invalid_request" });
  },
);
