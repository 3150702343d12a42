import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
/** An API that waits one second for the next bytes of a body. */
let hasty: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
beforeAll(async () => {
  [api, hasty] = await Promise.all([startTestApi({ maxUploadBytes: 1_000_000 }), startTestApi({}, 1)]);
  ({ headers } = await api.newCaller("caller@example.com"));
});
afterAll(() => Promise.all([api[Symbol.asyncDispose](), hasty[Symbol.asyncDispose]()]));

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

test("the upload of a caller that disconnects before its end is deleted", async () => {
  const socket = connect(api.port, "127.0.0.1");
  socket.write(
    `POST /v1/extract HTTP/1.1\r\nhost: a\r\nauthorization: ${headers.authorization}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 900000\r\n\r\n` +
      `--b\r\ncontent-disposition: form-data; name="video"; filename="v"\r\n\r\n${"x".repeat(200_000)}`,
  );
  await expect.poll(async () => (await api.stored()).length).toBe(1);
  socket.destroy();
  await expect.poll(() => api.stored()).toEqual([]);
});

test("an upload that pauses for too long is refused and deleted", async () => {
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

test("an upload below the minimum rate is refused; one above it may take any time", async () => {
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
  // Two windows have passed in which slow uploads were refused. This upload still arrives.
  const state = await Promise.race([
    steady.answer.then(() => "answered"),
    hasty.stored().then((names) => names.length),
  ]);
  expect(state).toBe(1);
  steady.socket.destroy();
  await expect.poll(() => hasty.stored()).toEqual([]);
});
