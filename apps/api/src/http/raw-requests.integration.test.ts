import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startTestApi({ maxUploadBytes: 1_000_000, extractionsPerMinute: 10_000 });
  ({ headers } = await api.newCaller("caller@example.com"));
});
afterAll(() => api[Symbol.asyncDispose]());

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
