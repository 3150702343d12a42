import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { fetchVideo } from "./fetch-video.ts";

const video = `\0\0\0\x18ftypisom${"v".repeat(20_000)}`;

/** What a server says: a text once it was asked, or whatever it does with the connection. */
type Saying = string | ((socket: Socket, asked: string) => void);

/** Downloads from a server of that manner. Nothing may be left of it: no file where it failed, no connection. */
async function download(saying: Saying, limits: { totalMs?: number; minBytesPerSecond?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "odd-servers-"));
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.once("data", (asked) => {
      if (typeof saying === "string") socket.end(saying, "latin1");
      else saying(socket, asked.toString("latin1"));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resolve = () => Promise.reject(new Error("asked for a name"));
  const usual = { maxBytes: 100_000, totalMs: 10_000, minBytesPerSecond: 1, rateWindowMs: 200 };
  const began = performance.now();
  try {
    const got = await fetchVideo(`http://${host}/`, join(folder, "kept"), {
      ...{ ...usual, ...limits },
      ...{ allowHosts: [host], resolve },
    });
    return { outcome: `${got.bytes} bytes`, connections, ms: performance.now() - began };
  } catch (error) {
    expect(await readdir(folder)).toEqual([]);
    if (!(error instanceof Problem)) throw error;
    return { outcome: `${error.code}: ${error.message}`, connections, ms: performance.now() - began };
  } finally {
    server.close();
    // Ends only when no connection is open any more.
    await once(server, "close");
    await rm(folder, { recursive: true });
  }
}

const ok = "HTTP/1.1 200 OK\r\n";
const length = (bytes: number | string) => `Content-Length: ${bytes}\r\n`;
const chunked = "Transfer-Encoding: chunked\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

const flood = (socket: Socket, text: string | (() => string)) => {
  const more = () => {
    while (!socket.destroyed && socket.write(typeof text === "string" ? text : text(), "latin1"));
  };
  socket.on("drain", more);
  more();
};
const drip = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.write(text, "latin1"), 20);
  socket.once("close", () => clearInterval(timer));
};
const answers = (head: string, then: (socket: Socket) => void) => (socket: Socket) => {
  socket.write(head, "latin1", () => then(socket));
};

test.each<[string, Saying, number]>([
  ["answers without a length and hangs up at the end", `${ok}\r\n${video}`, video.length],
  ["speaks HTTP/1.0", `HTTP/1.0 200 OK\r\n\r\n${video}`, video.length],
  ["sends chunks", `${ok}${chunked}\r\n${chunk(video)}0\r\n\r\n`, video.length],
  ["sends chunks with extensions and a trailer", `${ok}${chunked}\r\n4;a="b"\r\n\0\0\0\x18\r\n0\r\nX: y\r\n\r\n`, 4],
  ["sends more than it declares, without end", answers(`${ok}${length(4)}\r\n`, (socket) => flood(socket, video)), 4],
  ["sends more than it declares, which is cut", `${ok}${length(4)}\r\n\0\0\0\x18${"more".repeat(50)}`, 4],
  ["sends hints first", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}${length(4)}\r\n\0\0\0\x18`, 4],
  ["calls the whole a part", `HTTP/1.1 206 Partial Content\r\n${length(4)}Content-Range: bytes 0-3/4\r\n\r\nabcd`, 4],
  ["suggests another page", `${ok}Refresh: 0; url=http://10.0.0.5/\r\nLocation: http://10.0.0.5/\r\n\r\nabcd`, 4],
  ["gives a wrong type and name", `${ok}Content-Type: text/html\r\nContent-Disposition: x=../../a\r\n\r\nabcd`, 4],
])("a server that %s is understood", async (_name, saying, bytes) => {
  expect((await download(saying)).outcome).toBe(`${bytes} bytes`);
});

const improper = /^video_unreachable: The URL's server did not answer in proper HTTP/;
const broken = /^video_unreachable: The (connection|URL's server)/;
const late = /^video_unreachable: The download took longer/;
const slow = /^video_unreachable: The URL's server sends the video too slowly/;
const large = /^file_too_large/;
const empty = /^media_unreadable: The URL did not yield a video: the answer is empty/;

test.each<[string, Saying, RegExp]>([
  ["speaks another protocol", "SSH-2.0-OpenSSH_9.2\r\n", improper],
  ["speaks HTTP/0.9", `<html>${video}</html>`, improper],
  ["speaks HTTP/2", "\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\0\xff\xff\0\x01\0\0\x20\0", improper],
  ["speaks TLS", "\x15\x03\x01\0\x02\x02\x0a", improper],
  ["has a status of no number", "HTTP/1.1 OK\r\n\r\n", improper],
  ["has a header without a colon", `${ok}nonsense\r\n\r\n${video}`, improper],
  ["has a header with a NUL", `${ok}X: a\0b\r\n\r\n${video}`, improper],
  ["has a length below nothing", `${ok}${length(-5)}\r\n${video}`, improper],
  ["has a length that is no number", `${ok}${length("plenty")}\r\n${video}`, improper],
  ["has a length beyond all numbers", `${ok}${length("9".repeat(40))}\r\n${video}`, broken],
  ["has two lengths", `${ok}${length(4)}${length(5)}\r\n${video}`, broken],
  ["has a length and chunks", `${ok}${length(4)}${chunked}\r\n${chunk(video)}0\r\n\r\n`, broken],
  ["sends chunks of no length", `${ok}${chunked}\r\nzz\r\n${video}`, improper],
  ["sends a chunk of more than all numbers", `${ok}${chunked}\r\n${"f".repeat(17)}\r\n${video}`, improper],
  ["sends a header of 40 kB", `${ok}X: ${"y".repeat(40_000)}\r\n\r\n${video}`, improper],
  ["sends headers without end", answers(ok, (socket) => flood(socket, "X: y\r\n".repeat(1000))), improper],
  [
    "sends a trailer without end",
    answers(`${ok}${chunked}\r\n0\r\n`, (socket) => flood(socket, "X: y\r\n".repeat(1000))),
    improper,
  ],
  [
    "changes the protocol unasked",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    broken,
  ],
  ["hangs up", (socket) => void socket.end(), broken],
  ["resets the connection", (socket) => void socket.resetAndDestroy(), broken],
  ["resets it within the headers", answers(ok, (socket) => void socket.resetAndDestroy()), broken],
  ["hangs up within the headers", ok, broken],
  [
    "resets it within the body",
    answers(`${ok}${length(9000)}\r\nvvvv`, (socket) => void socket.resetAndDestroy()),
    broken,
  ],
  ["sends less than it declares", `${ok}${length(9000)}\r\nvvvv`, broken],
  ["ends within a chunk", `${ok}${chunked}\r\nff\r\nvvvv`, broken],
  ["ends without a last chunk", `${ok}${chunked}\r\n${chunk(video)}`, broken],
  ["declares 2 GB more than allowed", `${ok}${length(2 ** 31)}\r\nvvvv`, large],
  ["declares the largest number that is one", `${ok}${length(Number.MAX_SAFE_INTEGER)}\r\nvvvv`, large],
  ["sends without end", answers(`${ok}\r\n`, (socket) => flood(socket, video)), large],
  ["sends chunks without end", answers(`${ok}${chunked}\r\n`, (socket) => flood(socket, chunk(video))), large],
  ["sends a bomb of gzip", `${ok}Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08`, /sends the video compressed/],
  ["sends a bomb of brotli", `${ok}Content-Encoding: br\r\n\r\n\xcf\xff`, /sends the video compressed/],
  ["compresses several times", `${ok}Content-Encoding: gzip, gzip\r\n\r\n\x1f\x8b`, /sends the video compressed/],
  ["compresses by a name of its own", `${ok}Content-Encoding: x\r\n\r\n${video}`, /sends the video compressed/],
  [
    "names two encodings",
    `${ok}Content-Encoding: identity\r\nContent-Encoding: br\r\n\r\nv`,
    /sends the video compressed/,
  ],
  ["compresses on the way", `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n${chunk("\x1f\x8b\x08")}0\r\n\r\n`, /./],
  ["has no content", "HTTP/1.1 204 No Content\r\n\r\n", empty],
  ["resets the content", `HTTP/1.1 205 Reset Content\r\n${length(0)}\r\n`, empty],
  ["sends nothing", `${ok}${length(0)}\r\n`, empty],
  ["sends no chunk", `${ok}${chunked}\r\n0\r\n\r\n`, empty],
  ["sends a part", `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9\r\n\r\nabcd`, /sends a part/],
  ["sends the end", `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-8/9\r\n\r\nabcd`, /sends a part/],
  ["sends a part of no range", "HTTP/1.1 206 Partial Content\r\n\r\nabcd", /sends a part/],
  ["says that nothing changed", "HTTP/1.1 304 Not Modified\r\n\r\n", /server answered 304/],
  ["lacks the range", "HTTP/1.1 416 Range Not Satisfiable\r\n\r\n", /server answered 416/],
  [
    "asks for a password",
    'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n',
    /server answered 401/,
  ],
  ["wants it later", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n\r\n", /server answered 503/],
  ["invents a status", "HTTP/1.1 799 Whatever\r\n\r\n", /server answered 799/],
  ["offers a choice", "HTTP/1.1 300 Multiple Choices\r\nLocation: http://10.0.0.5/\r\n\r\n", /server answered 300/],
  ["names a proxy", "HTTP/1.1 305 Use Proxy\r\nLocation: http://10.0.0.5/\r\n\r\n", /server answered 305/],
  ["redirects nowhere", "HTTP/1.1 302 Found\r\n\r\n", /server answered 302/],
  [
    "redirects to itself",
    "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
    /redirects more than 5 times/,
  ],
  ["redirects to an empty place", "HTTP/1.1 302 Found\r\nLocation:\r\n\r\n", /redirects more than 5 times/],
  [
    "redirects to two places",
    "HTTP/1.1 302 Found\r\nLocation: /\r\nLocation: http://10.0.0.5/\r\n\r\n",
    /several places/,
  ],
  [
    "redirects to a very long place",
    `HTTP/1.1 302 Found\r\nLocation: /${"a".repeat(30_000)}\r\n\r\n`,
    /more than 5 times/,
  ],
  ["says nothing", () => {}, late],
  ["drips its status", (socket) => drip(socket, "H"), /./],
  ["drips its headers", answers(ok, (socket) => drip(socket, "X: y\r\n")), late],
  ["sends hints without end", (socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\n\r\n"), late],
  ["floods with hints", (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)), late],
  ["sends a body that stands still", answers(`${ok}${length(9000)}\r\nvvvv`, () => {}), slow],
  ["never begins its body", answers(`${ok}${length(9000)}\r\n`, () => {}), slow],
  ["drips its chunks", answers(`${ok}${chunked}\r\n`, (socket) => drip(socket, chunk("v"))), slow],
  ["drips the extension of a chunk", answers(`${ok}${chunked}\r\n1;`, (socket) => drip(socket, "x")), slow],
  [
    "floods with the extension of a chunk",
    answers(`${ok}${chunked}\r\n1;`, (socket) => flood(socket, "x".repeat(999))),
    slow,
  ],
])("a server that %s is given up", async (_name, saying, outcome) => {
  const tries = await download(saying, {
    totalMs: outcome === late ? 300 : 10_000,
    minBytesPerSecond: outcome === slow ? 10_000 : 0,
  });
  expect(tries.outcome).toMatch(outcome);
  expect(tries.outcome).toMatch(/^(video_unreachable|media_unreadable|file_too_large): .+\.$/);
  expect(tries.outcome).not.toMatch(/127\.0\.0\.1|10\.0\.0\.5|ECONN|HPE_|UND_ERR/);
  expect(tries.ms).toBeLessThan(8_000);
  expect(tries.connections).toBeLessThanOrEqual(6);
});
