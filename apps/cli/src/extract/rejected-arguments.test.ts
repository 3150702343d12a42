import { once } from "node:events";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { runHere } from "../testing/run-here.ts";
import type { Env } from "../testing/start-cli.ts";

const schema = '{"a":"string"}';

let server: Server;
let requests = 0;
let home: string;
const file = (name: string) => join(home, name);
beforeAll(async () => {
  server = createServer((_request, response) => {
    requests++;
    response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  home = await mkdtemp(join(tmpdir(), "v2j-refused-"));
  await writeFile(file("clip.mp4"), "bytes");
  await writeFile(file("empty.mp4"), "");
  await writeFile(file("large.mp4"), "x");
  await truncate(file("large.mp4"), 512 * 1024 ** 2 + 1);
  await writeFile(file("latin1.json"), Buffer.from([0x7b, 0x22, 0xe9, 0x22]));
  await mkdir(file("folder"));
});
afterAll(async () => {
  server.close();
  await rm(home, { recursive: true });
});
afterEach(() => expect(requests).toBe(0));

test.for([
  ["a missing file", ["none.mp4", schema], /none\.mp4 cannot be sent: there is no such file/],
  ["a directory", ["folder", schema], /it is a directory/],
  ["a file below a file", ["clip.mp4/x", schema], /there is no such file/],
  ["an empty file", ["empty.mp4", schema], /media_unreadable.*is empty/],
  ["a missing schema file", ["clip.mp4", "@none.json"], /schema cannot be read from .*none\.json: there is no such/],
  ["a directory for a schema", ["clip.mp4", "@folder"], /it is a directory/],
  ["a schema that is not UTF-8", ["clip.mp4", "@latin1.json"], /not UTF-8/],
  [
    "an empty schema",
    ["clip.mp4", "@empty.mp4"],
    /schema_invalid.*\n {2}\(root\): line 1, column 1: .*; this is not valid JSON\n$/,
  ],
  ["a video as the schema", ["clip.mp4", "@large.mp4"], /schema in .*large\.mp4 is not a text/],
  ["a faulty sketch", ["clip.mp4", '{"a":null,"b":"x||y"}'], /schema_invalid.*\n {2}\/a: null.*\n {2}\/b: an option/],
  ["lost characters", ["clip.mp4", '{"a":"\ufffd"}'], /schema_invalid.*\n {2}\(root\): contains U\+FFFD/],
  ["a video as the instructions", ["clip.mp4", schema, "@large.mp4"], /instructions in .*large\.mp4 is not a text/],
  ["a missing instructions file", ["clip.mp4", schema, "@none.txt"], /instructions cannot be read/],
] as const)(
  "%s is refused before anything is sent, with exit code 4",
  async ([, [video, written, instructions], message]) => {
    const inHome = (text: string) => (text.startsWith("@") ? file(text.slice(1)) : text);
    const notes = instructions?.startsWith("@") ? `@${inHome(instructions)}` : instructions;
    const { code, stdout, stderr } = await extract([
      file(video),
      "-s",
      inHome(written),
      ...(notes ? ["-i", notes] : []),
    ]);
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
  },
);

test.runIf(process.platform === "linux")("a device is not a video", async () => {
  expect(await extract(["/dev/null", "-s", schema])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("not a regular file"),
  });
});

test.for([
  ["no schema", ["clip.mp4"]],
  ["no video", ["-s", schema]],
  ["an empty idempotency key", ["clip.mp4", "-s", schema, "--idempotency-key", ""]],
  ["an idempotency key that is not ASCII", ["clip.mp4", "-s", schema, "--idempotency-key", "é"]],
  ["a URL with another scheme", ["ftp://example.com/clip.mp4", "-s", schema]],
  ["an incomplete URL", ["https://", "-s", schema]],
  ["an invalid service address", ["clip.mp4", "-s", schema, "--url", "example.com"]],
  ["two texts from standard input", ["clip.mp4", "-s", "-", "-i", "@-"]],
  ["a key as an option", ["clip.mp4", "-s", schema, "--api-key", "x"]],
  ["no concurrency", ["clip.mp4", "other.mp4", "-s", schema, "--concurrency", "0"]],
  ["a video and a schema from standard input", ["-", "-s", "-"]],
  ["a faulty jq program", ["clip.mp4", "-s", schema, "--jq", ".goals["]],
  ["a long key for several videos", ["clip.mp4", "b.mp4", "-s", schema, "--idempotency-key", "x".repeat(239)]],
] as const)("%s is wrong usage, with exit code 2", async ([, words]) => {
  const { code, stdout, stderr } = await extract([...words]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^error/);
});

test("without a key nothing is read or sent, and the message says how to get one: exit code 3", async () => {
  const { code, stdout, stderr } = await extract(["none.mp4", "-s", "{"], { VIDEO_TO_JSON_API_KEY: "" });
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(/video-to-json login.*VIDEO_TO_JSON_API_KEY/);
});

test("--json prints an error as the Error body on one line", async () => {
  const { stderr } = await extract([file("empty.mp4"), "-s", schema, "--json"]);
  expect(JSON.parse(stderr)).toEqual({
    error: { code: "media_unreadable", message: expect.stringContaining("is empty") },
  });
  expect(stderr.indexOf("\n")).toBe(stderr.length - 1);
});

function extract(words: string[], more: Env = {}) {
  const { port } = server.address() as AddressInfo;
  const env = { HOME: home, VIDEO_TO_JSON_URL: `http://127.0.0.1:${port}`, VIDEO_TO_JSON_API_KEY: "key", ...more };
  return runHere(["extract", ...words], env);
}
