import { readdirSync } from "node:fs";
import { openRawConnection } from "@video-to-json/runtime/http/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let caller: Awaited<ReturnType<typeof api.newCaller>>;
beforeAll(async () => {
  const many = { extractionsPerMinute: 100_000, maxJobsPerAccount: 100_000 };
  api = await startTestApi({ ...many, maxUploadBytes: 3_000_000 });
  caller = await api.newCaller("breaks@example.com", 10_000_000);
});
afterAll(() => api[Symbol.asyncDispose]());

const part = (name: string, extra = "") => `--b\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n`;
const schema = `${part("schema")}{"title":"string"}\r\n`;
const video = part("video", '; filename="clip.mp4"');
const bytes = "v".repeat(300_000);
const body = `${schema}${video}${bytes}\r\n--b--\r\n`;
const bodyFileFirst = `${video}${bytes}\r\n${schema}--b--\r\n`;

const upTo = (text: string, mark: string, more = 0) => text.slice(0, text.indexOf(mark) + more);

/**
 * The points at which an upload breaks off, with the part of the body that was sent; null breaks off inside the request
 * head.
 */
const stages: readonly [string, string, string | null][] = [
  ["within the head of the request", body, null],
  ["after the head of the request", body, ""],
  ["within the first boundary", body, "--"],
  ["within the head of the first part", body, upTo(body, "form-data")],
  ["within the schema", body, upTo(body, '"title"')],
  ["after the schema", body, upTo(body, '\r\n--b\r\ncontent-disposition: form-data; name="video"')],
  ["between the parts", body, schema],
  ["within the head of the file", body, upTo(body, "clip.mp4")],
  ["before the first byte of the file", body, schema + video],
  ["after the first byte of the file", body, `${schema}${video}v`],
  ["in the middle of the file", body, upTo(body, "v".repeat(1000), 150_000)],
  ["after the last byte of the file", body, upTo(body, "\r\n--b--")],
  ["within the last boundary", body, upTo(body, "--b--", 3)],
  ["before the end of the last boundary", body, upTo(body, "--b--", 4)],
  ["in the middle of a file that comes first", bodyFileFirst, upTo(bodyFileFirst, "v".repeat(1000), 150_000)],
  ["within the schema behind the file", bodyFileFirst, upTo(bodyFileFirst, '"title"')],
];

const head = (rest: string) =>
  `POST /v1/extract HTTP/1.1\r\nHost: a\r\nAuthorization: ${caller.headers.authorization}\r\n` +
  `Content-Type: multipart/form-data; boundary=b\r\n${rest}`;

const chunkOf = (text: string) => (text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`);

/** Returns the bytes of an upload that breaks off, with a Content-Length or in chunks. */
function brokenOff(whole: string, sent: string | null, inChunks: boolean): string {
  if (sent === null) return head("Content-Length: 10");
  if (inChunks) return head("Transfer-Encoding: chunked\r\n\r\n") + chunkOf(sent);
  return head(`Content-Length: ${whole.length}\r\n\r\n`) + sent;
}

const jobs = async () => (await api.db.execute("select id from jobs")).length;
const holds = async () => (await api.db.execute("select job_id from holds")).length;

for (const [manner, inChunks, end] of [
  ["reset", false, "reset"],
  ["reset, in chunks,", true, "reset"],
  ["ended", false, "end"],
  ["ended, in chunks,", true, "end"],
] as const) {
  test.each(stages)(
    `an upload whose connection is ${manner} %s leaves no bytes, no job and no hold`,
    async (_stage, whole, sent) => {
      const before = [await jobs(), await holds()];
      const connection = await openRawConnection(api.port);
      connection.send(brokenOff(whole, sent, inChunks));
      if (sent?.includes(bytes.slice(0, 100_000))) await expect.poll(async () => (await api.stored()).length).toBe(1);
      if (end === "reset") connection.reset();
      else connection.end();
      await connection.closed;
      await expect.poll(() => api.stored()).toEqual([]);
      expect([await jobs(), await holds()]).toEqual(before);
      if (end === "end" && connection.received() !== "")
        expect(connection.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]+"invalid_request"/);
    },
  );
}

test("the job of a caller that leaves after sending everything continues, and the wait ends", async () => {
  const before = await jobs();
  const connection = await openRawConnection(api.port);
  connection.send(head(`Content-Length: ${body.length}\r\n\r\n`) + body);
  await expect.poll(jobs).toBe(before + 1);
  connection.reset();
  await expect.poll(() => api.openWaits()).toBe(0);
  expect(await api.db.execute("select status from jobs")).toContainEqual({ status: "queued" });
  expect(await api.stored()).toHaveLength(1);
});

test("hundreds of broken uploads leak no file descriptors, and the next request is served", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const kept = await api.stored();
  const breakOff = (round: number) =>
    Promise.all(
      Array.from({ length: 25 }, async (_, index) => {
        const [, whole, sent] = stages[(round * 25 + index) % stages.length] ?? ["", body, ""];
        const connection = await openRawConnection(api.port);
        connection.send(brokenOff(whole, sent, index % 2 === 0));
        // Some clients leave while the key is looked up, some later.
        await new Promise((resolve) => setImmediate(resolve));
        if (index % 3 === 0) connection.end();
        else connection.reset();
        await connection.closed;
      }),
    );
  // The first requests open the connections to the database.
  await breakOff(0);
  await expect.poll(() => api.stored()).toEqual(kept);
  const before = open();
  for (let round = 1; round <= 10; round++) await breakOff(round);
  await expect.poll(() => api.stored()).toEqual(kept);
  // Connections and threads may have started meanwhile. Leaked uploads would be hundreds.
  await expect.poll(open).toBeLessThan(before + 25);
  const answer = await failure(
    fetch(`${api.url}/v1/extract`, { method: "POST", headers: caller.headers, body: new FormData() }),
  );
  expect(answer.code).toBe("schema_missing");
});

test("an endless form is refused, although it has only ignored parts", async () => {
  const connection = await openRawConnection(api.port);
  connection.send(`${head("Transfer-Encoding: chunked\r\n\r\n")}${chunkOf(part("other", '; filename="x"'))}`);
  const filler = chunkOf("x".repeat(1_000_000));
  for (let sent = 0; sent < 5; sent++) connection.send(filler);
  await expect.poll(connection.received).toMatch(/^HTTP\/1\.1 413 [\s\S]+"file_too_large"/);
  connection.reset();
});

test.each([
  [
    "too many fields",
    Array.from({ length: 51 }, (_, index) => `${part(`f${index}`)}x\r\n`).join(""),
    "invalid_request",
  ],
  [
    "too many files",
    Array.from({ length: 11 }, (_, index) => `${part(`f${index}`, '; filename="x"')}x\r\n`).join(""),
    "invalid_request",
  ],
  ["a schema that is too long", `${part("schema")}${"x".repeat(300_000)}\r\n`, "schema_invalid"],
  [
    "a schema of a file that is too long",
    `${part("schema", '; filename="s"')}${"x".repeat(300_000)}\r\n`,
    "schema_invalid",
  ],
  ["instructions that are too long", `${part("instructions")}${"x".repeat(300_000)}\r\n`, "invalid_request"],
  ["a URL that is too long", `${part("video_url")}${"x".repeat(300_000)}\r\n`, "invalid_request"],
  ["a file that is too large", `${schema}${video}${"v".repeat(3_000_001)}`, "file_too_large"],
])("%s is refused while the rest of the body still arrives", async (_name, sent, code) => {
  using connection = await openRawConnection(api.port);
  connection.send(`${head("Content-Length: 3500000\r\n\r\n")}${sent}${part("video", '; filename="v"')}`);
  await expect.poll(connection.received).toMatch(new RegExp(`^HTTP/1\\.1 4\\d\\d [\\s\\S]+"${code}"`));
});

test("a request behind a refused upload is served, and no byte of the upload is taken for a request", async () => {
  const inside = `GET /v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: ${caller.headers.authorization}\r\nX-Request-Id: smuggled\r\n\r\n`;
  const refused = `${part("schema")}{\r\n${video}${inside}${"v".repeat(100_000)}\r\n--b--\r\n`;
  using connection = await openRawConnection(api.port);
  connection.send(head(`Content-Length: ${refused.length}\r\n\r\n`) + refused);
  connection.send(inside.replace("smuggled", "behind"));
  await expect.poll(connection.received).toMatch(/"seconds_remaining"/);
  const received = connection.received();
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400", "HTTP/1.1 200"]);
  expect(received).toMatch(/"schema_invalid"[\s\S]+X-Request-Id: behind/);
  expect(received).not.toContain("smuggled");
});

test("an upload whose declared length is too large is refused before it is sent", async () => {
  using connection = await openRawConnection(api.port);
  connection.send(head("Expect: 100-continue\r\nContent-Length: 900000000\r\n\r\n"));
  await connection.closed;
  expect(connection.received()).toMatch(/^HTTP\/1\.1 413 [\s\S]+"file_too_large"/);
});

test.each([
  ["a negative length", "Content-Length: -1\r\n\r\n"],
  ["a length that is too large", "Content-Length: 99999999999999999999\r\n\r\n"],
  ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"],
  ["a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ["an unknown transfer encoding", "Transfer-Encoding: gzip\r\n\r\n"],
  ["a chunk without a length", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ["a chunk length that is too large", "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"],
  ["an endless chunk extension", `Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(40_000)}`],
  ["an endless trailer", `Transfer-Encoding: chunked\r\n\r\n0\r\n${"X: y\r\n".repeat(10_000)}`],
])("%s gets an Error, the connection is closed, and nothing behind it is served", async (_name, rest) => {
  const kept = await api.stored();
  using connection = await openRawConnection(api.port);
  connection.send(head(rest));
  await expect.poll(connection.received).toMatch(/^HTTP\/1\.1 (4\d\d|501) [\s\S]+"error":/);
  connection.send("GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n");
  await connection.closed;
  expect(connection.received().match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
  await expect.poll(() => api.stored()).toEqual(kept);
});

test("an upload in a thousand pieces is read correctly", async () => {
  const before = await jobs();
  using connection = await openRawConnection(api.port);
  connection.send(head(`Content-Length: ${body.length}\r\n\r\n`));
  const size = Math.ceil(body.length / 1000);
  for (let at = 0; at < body.length; at += size) {
    connection.send(body.slice(at, at + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(jobs).toBe(before + 1);
});
