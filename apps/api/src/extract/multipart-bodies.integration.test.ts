import { once } from "node:events";
import { connect } from "node:net";
import { openRawConnection } from "@video-to-json/runtime/http/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startTestApi({ maxUploadBytes: 1_000_000, extractionsPerMinute: 10_000 });
  ({ headers } = await api.newCaller("caller@example.com"));
});
afterAll(() => api[Symbol.asyncDispose]());

const sketch = '{"title":"string"}';
const post = (body: string | Uint8Array<ArrayBuffer>, extra: Record<string, string>) =>
  failure(fetch(`${api.url}/v1/extract`, { method: "POST", headers: { ...headers, ...extra }, body }));

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

test("a part whose header cannot be read is named as the fault, not left out as if it was not sent", async () => {
  const video = `content-disposition: form-data; name="video"; filename*=UTF-8''my video.mp4`;
  const body = `--b\r\ncontent-disposition: form-data; name="schema"\r\n\r\n${sketch}\r\n--b\r\n${video}\r\n\r\nx\r\n--b--\r\n`;
  const { code, error } = await post(body, { "content-type": "multipart/form-data; boundary=b" });
  expect([code, error.message]).toEqual(["invalid_request", expect.stringContaining("Malformed part header")]);
});

test.each([
  ["schema[title]", "Send the whole object as `schema`, in a form as JSON text."],
  ["schema.title", "Send the whole object as `schema`"],
  ["schema[items][title]", "Send the whole object as `schema`"],
  ["clip[start]", "Send the whole object as `clip`"],
  ["schema[]", "Write `schema`."],
  ["video[0]", "Write `video`."],
])(
  "a form that sends an object field by field, or a list of one, as %s, reads how to send it",
  async (name, advice) => {
    const body = `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nstring\r\n--b--\r\n`;
    const { code, error } = await post(body, { "content-type": "multipart/form-data; boundary=b" });
    expect([code, error.message]).toEqual(["invalid_request", expect.stringContaining(advice)]);
  },
);

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
    expect([code, error.message]).toEqual([
      "schema_invalid",
      "The schema cannot be used: the text is not UTF-8; send it as UTF-8. Correct the schema as `details` says.",
    ]);
  },
);

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
