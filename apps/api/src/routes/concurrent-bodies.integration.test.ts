import { randomUUID } from "node:crypto";
import { openRawConnection } from "@video-to-json/runtime/http/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ maxJobsPerAccount: 2, extractionsPerMinute: 100_000 });
});
afterAll(() => api[Symbol.asyncDispose]());

const part = (name: string, extra = "") => `--b\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n`;
const file = `${part("video", '; filename="clip.mp4"')}${"v".repeat(100_000)}`;
const schemaPart = (schema: string) => `\r\n${part("schema")}${schema}\r\n--b--\r\n`;
const valid = schemaPart('{"a":"string"}');
const invalid = schemaPart('{"a":undefine}');

type Caller = Awaited<ReturnType<typeof api.newCaller>>;
const newCaller = () => api.newCaller(`${randomUUID()}@example.com`);

const upload = { path: "/v1/extract", type: "multipart/form-data; boundary=b", code: "too_many_jobs" };
const bodyKinds = [
  upload,
  { path: "/v1/extract", type: "application/json", code: "too_many_jobs" },
  { path: "/v1/mcp", type: "application/json", code: "rate_limited" },
];

/** Announces a body with `Expect: 100-continue`, which the server answers before the body arrives. */
async function announce(
  { headers }: Caller,
  { path, type } = upload,
  length = `Content-Length: ${(file + valid).length}`,
) {
  const connection = await openRawConnection(api.port);
  onTestFinished(() => connection[Symbol.dispose]());
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\nExpect: 100-continue\r\n` +
      `Accept: application/json, text/event-stream\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`,
  );
  await expect.poll(() => connection.received()).toMatch(/\r\n\r\n/);
  return { ...connection, isAccepted: connection.received().startsWith("HTTP/1.1 100 ") };
}

async function announceTimes(caller: Caller, times: number, kind = upload) {
  const announced: Awaited<ReturnType<typeof announce>>[] = [];
  for (let time = 1; time <= times; time++) announced.push(await announce(caller, kind));
  return announced;
}

test.each(bodyKinds)(
  "an account may send twice as many long bodies at a time as it may have jobs; one more is refused unread ($path, $type)",
  async (kind) => {
    const caller = await newCaller();
    const announced = await announceTimes(caller, 5, kind);
    expect(announced.map(({ isAccepted }) => isAccepted)).toEqual([true, true, true, true, false]);
    const refused = announced.at(-1);
    await refused?.closed;
    expect(refused?.received()).toMatch(/^HTTP\/1\.1 429 [\s\S]*Retry-After: 5\r\n/);
    expect(refused?.received()).toContain(`"code":"${kind.code}"`);
    expect((await announce(caller, kind, "Transfer-Encoding: chunked")).isAccepted).toBe(false);
    expect((await announce(await newCaller(), kind)).isAccepted).toBe(true);
  },
);

test("short bodies, with or without a declared length, are read while the maximum of long ones is in flight", async () => {
  const caller = await newCaller();
  for (const kind of bodyKinds.slice(1)) await announceTimes(caller, 4, kind);
  const form = new FormData();
  form.set("schema", '{"a":"string"}');
  const short = fetch(`${api.url}/v1/extract`, { method: "POST", headers: caller.headers, body: form });
  expect((await failure(short)).code).toBe("video_missing");
  const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const chunk = `${message.length.toString(16)}\r\n${message}\r\n0\r\n\r\n`;
  for (const body of [
    `Content-Length: ${message.length}\r\n\r\n${message}`,
    `Transfer-Encoding: chunked\r\n\r\n${chunk}`,
  ]) {
    using connection = await openRawConnection(api.port);
    connection.send(
      `POST /v1/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.headers.authorization}\r\n` +
        `Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n${body}`,
    );
    await expect.poll(() => connection.received()).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test("a job limit of the account replaces the default, and an account with no job slots can still repeat a request", async () => {
  for (const [maxJobs, maxBodies] of [
    [1, 2],
    [3, 6],
    [0, 2],
  ] as const) {
    const caller = await newCaller();
    await api.db.execute(`update accounts set max_jobs = ${maxJobs} where id = '${caller.accountId}'`);
    const announced = await announceTimes(caller, maxBodies + 1);
    expect(announced.filter(({ isAccepted }) => isAccepted)).toHaveLength(maxBodies);
  }
});

test("a caller that keeps sending a refused upload still gets the response, and nothing is stored", async () => {
  const caller = await newCaller();
  await announceTimes(caller, 4);
  const stored = await api.stored();
  const body = `${file}${"v".repeat(5_000_000)}${valid}`;
  using connection = await openRawConnection(api.port);
  connection.send(
    `POST /v1/extract HTTP/1.1\r\nHost: a\r\nAuthorization: ${caller.headers.authorization}\r\nConnection: close\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await connection.closed;
  expect(connection.failure()).toBeUndefined();
  expect(connection.received()).toMatch(/^HTTP\/1\.1 429 [\s\S]*"code":"too_many_jobs"/);
  expect(await api.stored()).toEqual(stored);
});

type Upload = Awaited<ReturnType<typeof announce>>;
const ends: [string, (upload: Upload) => void][] = [
  ["whose connection is reset", (upload) => upload.reset()],
  [
    "whose caller ends it early",
    (upload) => {
      upload.send(file);
      upload.end();
    },
  ],
  ["that is refused", (upload) => upload.send(file + invalid)],
  ["that becomes a job", (upload) => upload.send(file + valid)],
];

test.each(ends)("an upload %s no longer counts", async (_how, end) => {
  const caller = await newCaller();
  const [first] = await announceTimes(caller, 4);
  expect((await announce(caller)).isAccepted).toBe(false);
  if (first) end(first);
  await expect.poll(async () => (await announce(caller)).isAccepted).toBe(true);
  expect((await announce(caller)).isAccepted).toBe(false);
});
