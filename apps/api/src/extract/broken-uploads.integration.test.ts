import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { openRawConnection } from "../http/raw-connection.harness.ts";

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

/** Where an upload may break off: what of its body was sent by then, null for within the head of the request. */
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

/** What is sent of an upload that breaks off there, with its length or in chunks. */
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
  ["ended in good order", false, "end"],
  ["ended in good order, in chunks,", true, "end"],
] as const) {
  test.each(stages)(
    `an upload that is ${manner} %s leaves no bytes, no job and no hold`,
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
      if (end === "end" && connection.said() !== "")
        expect(connection.said()).toMatch(/^HTTP\/1\.1 400 [\s\S]+"invalid_request"/);
    },
  );
}

test("a caller who is gone as soon as all was sent leaves a job that goes on, and no wait", async () => {
  const before = await jobs();
  const connection = await openRawConnection(api.port);
  connection.send(head(`Content-Length: ${body.length}\r\n\r\n`) + body);
  await expect.poll(jobs).toBe(before + 1);
  connection.reset();
  await expect.poll(() => api.openWaits()).toBe(0);
  expect(await api.db.execute("select status from jobs")).toContainEqual({ status: "queued" });
  expect(await api.stored()).toHaveLength(1);
});

test("after hundreds of broken uploads there is no more open than before, and the next request is served", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const kept = await api.stored();
  const breakOff = (round: number) =>
    Promise.all(
      Array.from({ length: 25 }, async (_, index) => {
        const [, whole, sent] = stages[(round * 25 + index) % stages.length] ?? ["", body, ""];
        const connection = await openRawConnection(api.port);
        connection.send(brokenOff(whole, sent, index % 2 === 0));
        // Some leave while the key is looked up, some in the middle of it all.
        await new Promise((resolve) => setImmediate(resolve));
        if (index % 3 === 0) connection.end();
        else connection.reset();
        await connection.closed;
      }),
    );
  // The first ones open the connections to the database.
  await breakOff(0);
  await expect.poll(() => api.stored()).toEqual(kept);
  const before = open();
  for (let round = 1; round <= 20; round++) await breakOff(round);
  await expect.poll(() => api.stored()).toEqual(kept);
  // A few more may be connections of servers and threads that started meanwhile; uploads that leak would be hundreds.
  await expect.poll(open).toBeLessThan(before + 25);
  const answer = await failure(
    fetch(`${api.url}/v1/extract`, { method: "POST", headers: caller.headers, body: new FormData() }),
  );
  expect(answer.code).toBe("schema_missing");
});

test("a form without end is refused, though it has nothing but parts that are passed over", async () => {
  const connection = await openRawConnection(api.port);
  connection.send(`${head("Transfer-Encoding: chunked\r\n\r\n")}${chunkOf(part("other", '; filename="x"'))}`);
  const filler = chunkOf("x".repeat(1_000_000));
  for (let sent = 0; sent < 5; sent++) connection.send(filler);
  await expect.poll(connection.said).toMatch(/^HTTP\/1\.1 413 [\s\S]+"file_too_large"/);
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
])("%s: refused while the rest is still to come", async (_name, sent, code) => {
  using connection = await openRawConnection(api.port);
  connection.send(`${head("Content-Length: 3500000\r\n\r\n")}${sent}${part("video", '; filename="v"')}`);
  await expect.poll(connection.said).toMatch(new RegExp(`^HTTP/1\\.1 4\\d\\d [\\s\\S]+"${code}"`));
});

test("what was sent behind a refused upload on the same connection is served, and nothing of the upload is taken for it", async () => {
  const inside = `GET /v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: ${caller.headers.authorization}\r\nX-Request-Id: smuggled\r\n\r\n`;
  const refused = `${part("schema")}{\r\n${video}${inside}${"v".repeat(100_000)}\r\n--b--\r\n`;
  using connection = await openRawConnection(api.port);
  connection.send(head(`Content-Length: ${refused.length}\r\n\r\n`) + refused);
  connection.send(inside.replace("smuggled", "behind"));
  await expect.poll(connection.said).toMatch(/"seconds_remaining"/);
  const said = connection.said();
  expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400", "HTTP/1.1 200"]);
  expect(said).toMatch(/"schema_invalid"[\s\S]+X-Request-Id: behind/);
  expect(said).not.toContain("smuggled");
});

test("an upload that is declared too large is refused before any of it is sent", async () => {
  using connection = await openRawConnection(api.port);
  connection.send(head("Expect: 100-continue\r\nContent-Length: 900000000\r\n\r\n"));
  await connection.closed;
  expect(connection.said()).toMatch(/^HTTP\/1\.1 413 [\s\S]+"file_too_large"/);
});

test.each([
  ["a length below nothing", "Content-Length: -1\r\n\r\n"],
  ["a length beyond all numbers", "Content-Length: 99999999999999999999\r\n\r\n"],
  ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"],
  ["a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ["an encoding that is no chunks", "Transfer-Encoding: gzip\r\n\r\n"],
  ["a chunk of no length", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ["a chunk longer than all numbers", "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"],
  ["extensions of a chunk without end", `Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(40_000)}`],
  ["a trailer without end", `Transfer-Encoding: chunked\r\n\r\n0\r\n${"X: y\r\n".repeat(10_000)}`],
])("%s: the connection is ended with an Error, and nothing behind it is served", async (_name, rest) => {
  const kept = await api.stored();
  using connection = await openRawConnection(api.port);
  connection.send(head(rest));
  await expect.poll(connection.said).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]+"error":/);
  connection.send("GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n");
  await connection.closed;
  expect(connection.said().match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
  await expect.poll(() => api.stored()).toEqual(kept);
});

test("an upload in a thousand pieces is taken, wherever they are cut", async () => {
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
