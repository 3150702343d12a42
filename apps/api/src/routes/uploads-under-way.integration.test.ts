import { randomUUID } from "node:crypto";
import { openRawConnection } from "@video-to-json/http-server/testing";
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
const sound = schemaPart('{"a":"string"}');
const bad = schemaPart('{"a":undefine}');

type Caller = Awaited<ReturnType<typeof api.newCaller>>;
const newCaller = () => api.newCaller(`${randomUUID()}@example.com`);

const upload = { path: "/v1/extract", type: "multipart/form-data; boundary=b", code: "too_many_jobs" };
const doors = [
  upload,
  { path: "/v1/extract", type: "application/json", code: "too_many_jobs" },
  { path: "/v1/mcp", type: "application/json", code: "rate_limited" },
];

/** Asks whether a body may come, which is answered before any of it is sent. */
async function ask({ headers }: Caller, { path, type } = upload, length = `Content-Length: ${(file + sound).length}`) {
  const connection = await openRawConnection(api.port);
  onTestFinished(() => connection[Symbol.dispose]());
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\nExpect: 100-continue\r\n` +
      `Accept: application/json, text/event-stream\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`,
  );
  await expect.poll(() => connection.received()).toMatch(/\r\n\r\n/);
  return { ...connection, isLetIn: connection.received().startsWith("HTTP/1.1 100 ") };
}

async function askTimes(caller: Caller, times: number, door = upload) {
  const asked: Awaited<ReturnType<typeof ask>>[] = [];
  for (let time = 1; time <= times; time++) asked.push(await ask(caller, door));
  return asked;
}

test.each(doors)(
  "twice as many long bodies of an account may be under way as it may have jobs; more are refused unread ($path, $type)",
  async (door) => {
    const caller = await newCaller();
    const asked = await askTimes(caller, 5, door);
    expect(asked.map(({ isLetIn }) => isLetIn)).toEqual([true, true, true, true, false]);
    const refused = asked.at(-1);
    await refused?.closed;
    expect(refused?.received()).toMatch(/^HTTP\/1\.1 429 [\s\S]*Retry-After: 5\r\n/);
    expect(refused?.received()).toContain(`"code":"${door.code}"`);
    expect((await ask(caller, door, "Transfer-Encoding: chunked")).isLetIn).toBe(false);
    expect((await ask(await newCaller(), door)).isLetIn).toBe(true);
  },
);

test("short bodies are read however many long ones are under way, their length declared or not", async () => {
  const caller = await newCaller();
  for (const door of doors.slice(1)) await askTimes(caller, 4, door);
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

test("an account with a limit of its own may have uploads by that, and one that may have no jobs can still repeat one", async () => {
  for (const [maxJobs, most] of [
    [1, 2],
    [3, 6],
    [0, 2],
  ] as const) {
    const caller = await newCaller();
    await api.db.execute(`update accounts set max_jobs = ${maxJobs} where id = '${caller.accountId}'`);
    const asked = await askTimes(caller, most + 1);
    expect(asked.filter(({ isLetIn }) => isLetIn)).toHaveLength(most);
  }
});

test("whoever sends on after the refusal of an upload has it all the same, and nothing is kept", async () => {
  const caller = await newCaller();
  await askTimes(caller, 4);
  const stored = await api.stored();
  const body = `${file}${"v".repeat(5_000_000)}${sound}`;
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

type Upload = Awaited<ReturnType<typeof ask>>;
const ends: [string, (upload: Upload) => void][] = [
  ["that is reset", (upload) => upload.reset()],
  [
    "whose caller ends it half way",
    (upload) => {
      upload.send(file);
      upload.end();
    },
  ],
  ["that is refused", (upload) => upload.send(file + bad)],
  ["that becomes a job", (upload) => upload.send(file + sound)],
];

test.each(ends)("an upload %s gives its place back", async (_how, end) => {
  const caller = await newCaller();
  const [first] = await askTimes(caller, 4);
  expect((await ask(caller)).isLetIn).toBe(false);
  if (first) end(first);
  await expect.poll(async () => (await ask(caller)).isLetIn).toBe(true);
  expect((await ask(caller)).isLetIn).toBe(false);
});
