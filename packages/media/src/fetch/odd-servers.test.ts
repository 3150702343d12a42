import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { fetchVideo } from "./fetch-video.ts";
import { saveFile } from "./save-file.harness.ts";

const video = `\0\0\0\x18ftypisom${"v".repeat(20_000)}`;

/** What a server does with a request: it sends a text, or handles the connection itself. */
type Behaviour = string | ((socket: Socket, request: string) => void);

/** Downloads from a server with this behaviour. Checks that a failure leaves no file, and a download no connection. */
async function download(behaviour: Behaviour, limits: { totalMs?: number; minBytesPerSecond?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "odd-servers-"));
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.once("data", (request) => {
      if (typeof behaviour === "string") socket.end(behaviour, "latin1");
      else behaviour(socket, request.toString("latin1"));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resolve = () => Promise.reject(new Error("resolved a name"));
  const usual = { maxBytes: 100_000, totalMs: 10_000, minBytesPerSecond: 1, rateWindowMs: 200 };
  const began = performance.now();
  try {
    const got = await fetchVideo(`http://${host}/`, saveFile(join(folder, "kept")), {
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
    // The server closes only when no connection is open.
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
const sendSlowly = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.write(text, "latin1"), 20);
  socket.once("close", () => clearInterval(timer));
};
const answers = (head: string, then: (socket: Socket) => void) => (socket: Socket) => {
  socket.write(head, "latin1", () => then(socket));
};

test.each<[string, Behaviour, number]>([
  ["sends no length and closes the connection at the end", `${ok}\r\n${video}`, video.length],
  ["speaks HTTP/1.0", `HTTP/1.0 200 OK\r\n\r\n${video}`, video.length],
  ["sends chunks", `${ok}${chunked}\r\n${chunk(video)}0\r\n\r\n`, video.length],
  ["sends chunks with extensions and a trailer", `${ok}${chunked}\r\n4;a="b"\r\n\0\0\0\x18\r\n0\r\nX: y\r\n\r\n`, 4],
  ["sends endlessly more than it declares", answers(`${ok}${length(4)}\r\n`, (socket) => flood(socket, video)), 4],
  ["sends a little more than it declares", `${ok}${length(4)}\r\n\0\0\0\x18${"more".repeat(50)}`, 4],
  ["sends early hints first", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}${length(4)}\r\n\0\0\0\x18`, 4],
  [
    "sends the whole video as a part",
    `HTTP/1.1 206 Partial Content\r\n${length(4)}Content-Range: bytes 0-3/4\r\n\r\nabcd`,
    4,
  ],
  ["suggests another page", `${ok}Refresh: 0; url=http://10.0.0.5/\r\nLocation: http://10.0.0.5/\r\n\r\nabcd`, 4],
  ["declares a wrong type and name", `${ok}Content-Type: text/html\r\nContent-Disposition: x=../../a\r\n\r\nabcd`, 4],
])("a server that %s is read", async (_name, behaviour, bytes) => {
  expect((await download(behaviour)).outcome).toBe(`${bytes} bytes`);
});

const invalidHttp = /^video_unreachable: The URL's server did not answer in valid HTTP/;
const broken = /^video_unreachable: The (connection|URL's server)/;
const late = /^video_unreachable: The download took longer/;
const slow = /^video_unreachable: The URL's server sends the video too slowly/;
const large = /^file_too_large/;
const empty = /^media_unreadable: The URL did not return a video: the response is empty/;

test.each<[string, Behaviour, RegExp]>([
  ["speaks another protocol", "SSH-2.0-OpenSSH_9.2\r\n", invalidHttp],
  ["speaks HTTP/0.9", `<html>${video}</html>`, invalidHttp],
  ["speaks HTTP/2", "\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64\0\x04\0\0\xff\xff\0\x01\0\0\x20\0", invalidHttp],
  ["speaks TLS", "\x15\x03\x01\0\x02\x02\x0a", invalidHttp],
  ["has a status that is not a number", "HTTP/1.1 OK\r\n\r\n", invalidHttp],
  ["has a header without a colon", `${ok}nonsense\r\n\r\n${video}`, invalidHttp],
  ["has a header with a NUL", `${ok}X: a\0b\r\n\r\n${video}`, invalidHttp],
  ["has a negative length", `${ok}${length(-5)}\r\n${video}`, invalidHttp],
  ["has a length that is not a number", `${ok}${length("plenty")}\r\n${video}`, invalidHttp],
  ["has a length above every integer type", `${ok}${length("9".repeat(40))}\r\n${video}`, broken],
  ["has two lengths", `${ok}${length(4)}${length(5)}\r\n${video}`, broken],
  ["has a length and chunks", `${ok}${length(4)}${chunked}\r\n${chunk(video)}0\r\n\r\n`, broken],
  ["sends chunks without a length", `${ok}${chunked}\r\nzz\r\n${video}`, invalidHttp],
  ["sends a chunk length above every integer type", `${ok}${chunked}\r\n${"f".repeat(17)}\r\n${video}`, invalidHttp],
  ["sends a header of 40 kB", `${ok}X: ${"y".repeat(40_000)}\r\n\r\n${video}`, invalidHttp],
  ["sends endless headers", answers(ok, (socket) => flood(socket, "X: y\r\n".repeat(1000))), invalidHttp],
  [
    "sends an endless trailer",
    answers(`${ok}${chunked}\r\n0\r\n`, (socket) => flood(socket, "X: y\r\n".repeat(1000))),
    invalidHttp,
  ],
  [
    "switches the protocol without a request",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    broken,
  ],
  ["closes the connection", (socket) => void socket.end(), broken],
  ["resets the connection", (socket) => void socket.resetAndDestroy(), broken],
  ["resets it within the headers", answers(ok, (socket) => void socket.resetAndDestroy()), broken],
  ["closes the connection within the headers", ok, broken],
  [
    "resets it within the body",
    answers(`${ok}${length(9000)}\r\nvvvv`, (socket) => void socket.resetAndDestroy()),
    broken,
  ],
  ["sends less than it declares", `${ok}${length(9000)}\r\nvvvv`, broken],
  ["ends within a chunk", `${ok}${chunked}\r\nff\r\nvvvv`, broken],
  ["ends without a last chunk", `${ok}${chunked}\r\n${chunk(video)}`, broken],
  ["declares 2 GB", `${ok}${length(2 ** 31)}\r\nvvvv`, large],
  ["declares the largest safe integer", `${ok}${length(Number.MAX_SAFE_INTEGER)}\r\nvvvv`, large],
  ["sends endlessly", answers(`${ok}\r\n`, (socket) => flood(socket, video)), large],
  ["sends endless chunks", answers(`${ok}${chunked}\r\n`, (socket) => flood(socket, chunk(video))), large],
  ["sends a bomb of gzip", `${ok}Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08`, /sends the video compressed/],
  ["sends a bomb of brotli", `${ok}Content-Encoding: br\r\n\r\n\xcf\xff`, /sends the video compressed/],
  ["compresses twice", `${ok}Content-Encoding: gzip, gzip\r\n\r\n\x1f\x8b`, /sends the video compressed/],
  ["compresses with an unknown encoding", `${ok}Content-Encoding: x\r\n\r\n${video}`, /sends the video compressed/],
  [
    "names two encodings",
    `${ok}Content-Encoding: identity\r\nContent-Encoding: br\r\n\r\nv`,
    /sends the video compressed/,
  ],
  [
    "compresses with a transfer encoding",
    `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n${chunk("\x1f\x8b\x08")}0\r\n\r\n`,
    /./,
  ],
  ["has no content", "HTTP/1.1 204 No Content\r\n\r\n", empty],
  ["resets the content", `HTTP/1.1 205 Reset Content\r\n${length(0)}\r\n`, empty],
  ["sends nothing", `${ok}${length(0)}\r\n`, empty],
  ["sends no chunk", `${ok}${chunked}\r\n0\r\n\r\n`, empty],
  ["sends a part", `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/9\r\n\r\nabcd`, /sends only a part/],
  ["sends the end", `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-8/9\r\n\r\nabcd`, /sends only a part/],
  ["sends a part without a range", "HTTP/1.1 206 Partial Content\r\n\r\nabcd", /sends only a part/],
  ["answers that nothing has changed", "HTTP/1.1 304 Not Modified\r\n\r\n", /server answered 304/],
  ["cannot satisfy the range", "HTTP/1.1 416 Range Not Satisfiable\r\n\r\n", /server answered 416/],
  [
    "requires a password",
    'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n',
    /server answered 401/,
  ],
  [
    "refuses a signed address",
    (socket, request) =>
      socket.end(
        request.includes("X-Amz-Signature")
          ? "HTTP/1.1 403 Forbidden\r\n\r\n"
          : `HTTP/1.1 302 Found\r\nLocation: /?X-Amz-Signature=a\r\n${length(0)}\r\n`,
      ),
    /may have expired: make a new one/,
  ],
  ["sends an animated image", `${ok}${length(6)}\r\nGIF89a`, /has to be converted to a video first/],
  [
    "answers that it is unavailable",
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n\r\n",
    /server answered 503/,
  ],
  ["invents a status", "HTTP/1.1 799 Whatever\r\n\r\n", /server answered 799/],
  ["offers a choice", "HTTP/1.1 300 Multiple Choices\r\nLocation: http://10.0.0.5/\r\n\r\n", /server answered 300/],
  ["names a proxy", "HTTP/1.1 305 Use Proxy\r\nLocation: http://10.0.0.5/\r\n\r\n", /server answered 305/],
  ["redirects nowhere", "HTTP/1.1 302 Found\r\n\r\n", /server answered 302/],
  [
    "redirects to itself",
    "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
    /redirects more than 5 times/,
  ],
  ["redirects to an empty location", "HTTP/1.1 302 Found\r\nLocation:\r\n\r\n", /redirects more than 5 times/],
  [
    "redirects to two locations",
    "HTTP/1.1 302 Found\r\nLocation: /\r\nLocation: http://10.0.0.5/\r\n\r\n",
    /several places/,
  ],
  [
    "redirects to a very long location",
    `HTTP/1.1 302 Found\r\nLocation: /${"a".repeat(30_000)}\r\n\r\n`,
    /more than 5 times/,
  ],
  ["never answers", () => {}, late],
  ["sends its status slowly", (socket) => sendSlowly(socket, "H"), /./],
  ["sends its headers slowly", answers(ok, (socket) => sendSlowly(socket, "X: y\r\n")), late],
  ["sends early hints endlessly", (socket) => sendSlowly(socket, "HTTP/1.1 103 Early Hints\r\n\r\n"), late],
  ["sends a flood of early hints", (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)), late],
  ["stops within the body", answers(`${ok}${length(9000)}\r\nvvvv`, () => {}), slow],
  ["never starts its body", answers(`${ok}${length(9000)}\r\n`, () => {}), slow],
  ["sends its chunks slowly", answers(`${ok}${chunked}\r\n`, (socket) => sendSlowly(socket, chunk("v"))), slow],
  ["sends a chunk extension slowly", answers(`${ok}${chunked}\r\n1;`, (socket) => sendSlowly(socket, "x")), slow],
  [
    "sends an endless chunk extension",
    answers(`${ok}${chunked}\r\n1;`, (socket) => flood(socket, "x".repeat(999))),
    slow,
  ],
])("a server that %s makes the download fail", async (_name, behaviour, outcome) => {
  const result = await download(behaviour, {
    totalMs: outcome === late ? 300 : 10_000,
    minBytesPerSecond: outcome === slow ? 10_000 : 0,
  });
  expect(result.outcome).toMatch(outcome);
  expect(result.outcome).toMatch(/^(video_unreachable|media_unreadable|file_too_large): .+\.$/);
  expect(result.outcome).not.toMatch(/127\.0\.0\.1|10\.0\.0\.5|ECONN|HPE_|UND_ERR/);
  expect(result.ms).toBeLessThan(8_000);
  expect(result.connections).toBeLessThanOrEqual(6);
});
