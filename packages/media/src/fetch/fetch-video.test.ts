import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "@video-to-json/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asUnreachable, fetchVideo } from "./fetch-video.ts";
import { saveFile } from "./save-file.harness.ts";

const video = Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(200_000, 7)]);

let folder: string;
let open: { server: Server; sockets: Set<Socket> }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fetch-video-"));
  open = [];
});

afterEach(async () => {
  for (const { server, sockets } of open) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
  expect(await readdir(folder).then((names) => names.filter((name) => name !== "kept"))).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Starts a server on loopback. Returns its `host:port`. */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  open.push({ server, sockets });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serve(listener: RequestListener): Promise<string> {
  return listen(createServer(listener));
}

type Options = Parameters<typeof fetchVideo>[2];

async function get(url: string, options: Partial<Options> = {}): Promise<{ bytes: number } | string> {
  const allowHosts = /^https?:\/\/(127\.0\.0\.1:\d+)/.exec(url)?.slice(1) ?? [];
  const usual = { maxBytes: 1_000_000, allowHosts, totalMs: 10_000, minBytesPerSecond: 1 };
  await rm(join(folder, "kept"), { force: true });
  try {
    return await fetchVideo(url, saveFile(join(folder, "kept")), { ...usual, ...options });
  } catch (error) {
    expect(await readdir(folder)).toEqual([]);
    if (error instanceof Problem) {
      expect(error.message).not.toMatch(/127\.0\.0\.1|10\.0\.0/);
      return `${error.code}: ${error.message}`;
    }
    throw error;
  }
}

test("a video is downloaded completely", async () => {
  const host = await serve((_, response) => response.end(video));
  expect(await get(`http://${host}/video.mp4`)).toEqual({ bytes: video.length });
  expect(await readFile(join(folder, "kept"))).toEqual(video);
});

test("the request asks for an uncompressed video", async () => {
  let headers = {};
  const host = await serve((request, response) => {
    headers = request.headers;
    response.end(video);
  });
  await get(`http://${host}/`);
  expect(headers).toMatchObject({ "accept-encoding": "identity" });
});

test("up to five redirects are followed", async () => {
  const host = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end(video);
    else response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 302, { location: `/${left - 1}` }).end("moved");
  });
  expect(await get(`http://${host}/5`)).toEqual({ bytes: video.length });
  expect(await get(`http://${host}/6`)).toContain("video_unreachable: The URL redirects more than 5 times");
});

test.each([
  ["http://localhost:8080/", "public internet address"],
  ["http://0x7f000001:8080/", "public internet address"],
  ["//[::1]:8080/", "public internet address"],
  ["http://inside.example:8080/", "public internet address"],
  ["file:///etc/passwd", "not http(s)"],
  ["http://user:secret@example.com/", "user name or password"],
  ["http://[bad", "not http(s)"],
  ["ftp://example.com/v", "not http(s)"],
  ["gopher://example.com/_GET", "not http(s)"],
  ["data:video/mp4;base64,AAAA", "not http(s)"],
  ["javascript:alert(1)", "not http(s)"],
  ["blob:http://example.com/1", "not http(s)"],
  ["http://999.1.1.1/", "not http(s)"],
  ["http:/\\127.0.0.1:8080/", "public internet address"],
  ["\\\\127.1:8080\\v", "public internet address"],
  ["///[::ffff:127.0.0.1]:8080/", "public internet address"],
  ["http://%31%32%37.1:8080/", "public internet address"],
  ["HTTPS://LOCALHOST.:8443/", "public internet address"],
  ["http://169.254.169.254/latest/meta-data", "public internet address"],
  ["http://metadata.google.internal/", "public internet address"],
  ["http://example.com:6379/", "port"],
  ["http://example.com@127.0.0.1:8080/", "user name or password"],
])("a redirect to %s is rejected", async (location, reason) => {
  const host = await serve((_, response) => response.writeHead(302, { location }).end());
  const resolve = async () => [{ address: "10.0.0.5", family: 4 }];
  const answer = await get(`http://${host}/`, { resolve });
  expect(answer).toContain("video_unreachable");
  expect(answer).toContain(reason);
});

test("a private address is rejected without a connection", async () => {
  let connections = 0;
  const host = await listen(createTcpServer(() => (connections += 1)));
  expect(await get(`http://${host}/`, { allowHosts: [] })).toContain("video_unreachable");
  expect(connections).toBe(0);
});

test("a redirect to a private address opens no connection", async () => {
  let connections = 0;
  const inside = await listen(createTcpServer(() => (connections += 1)));
  const host = await serve((_, response) => response.writeHead(302, { location: `http://${inside}/` }).end());
  expect(await get(`http://${host}/`)).toContain("video_unreachable");
  expect(connections).toBe(0);
});

test("a name with one private address among public ones is rejected", async () => {
  const resolve = async () => [
    { address: "203.0.114.1", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ];
  expect(await get("http://mixed.example/", { resolve })).toContain("public internet address");
});

test("a name that is not found is unreachable", async () => {
  const resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
  expect(await get("http://absent.example/", { resolve })).toContain("video_unreachable: The URL's host name");
  expect(await get("http://empty.example/", { resolve: async () => [] })).toContain("host name was not found");
});

test("an allowed host may resolve to any address", async () => {
  const host = await serve((_, response) => response.end(video));
  const name = `films.internal:${host.split(":")[1]}`;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  expect(await get(`http://${name}/`, { allowHosts: [name], resolve })).toEqual({ bytes: video.length });
});

test.each([404, 500, 401, 304])("a response with status %i is unreachable", async (status) => {
  const host = await serve((_, response) => response.writeHead(status).end());
  expect(await get(`http://${host}/`)).toContain(`video_unreachable: The URL's server answered ${status}`);
});

test("a refused connection is unreachable", async () => {
  const server = createTcpServer();
  const host = await listen(server);
  server.close();
  await once(server, "close");
  expect(await get(`http://${host}/`)).toContain("refused the connection");
});

test("an https URL of a plain http server is unreachable", async () => {
  const host = await serve((_, response) => response.end(video));
  expect(await get(`https://${host}/`)).toContain("video_unreachable: No secure connection");
});

test("a body shorter than its declared length is unreachable", async () => {
  const host = await serve((_, response) => {
    response.writeHead(200, { "content-length": video.length });
    response.write(video.subarray(0, 100_000), () => response.destroy());
  });
  expect(await get(`http://${host}/`)).toContain("video_unreachable: The connection");
});

test("a chunked body without a last chunk is unreachable", async () => {
  const host = await serve((_, response) => {
    response.write(video, () => response.destroy());
  });
  expect(await get(`http://${host}/`)).toContain("video_unreachable: The connection");
});

test("a declared length above the limit is rejected before the body is read", async () => {
  const host = await serve((_, response) => {
    response.writeHead(200, { "content-length": 1_000_001 });
    response.flushHeaders();
  });
  expect(await get(`http://${host}/`)).toContain("file_too_large");
});

test("a body of undeclared length is rejected once it exceeds the limit", async () => {
  const host = await serve((_, response) => pour(response));
  expect(await get(`http://${host}/`)).toContain("file_too_large");
});

test("a body of exactly the limit is accepted", async () => {
  const host = await serve((_, response) => response.end(video));
  expect(await get(`http://${host}/`, { maxBytes: video.length })).toEqual({ bytes: video.length });
});

test("a compressed body is rejected", async () => {
  const host = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(video));
  expect(await get(`http://${host}/`)).toContain("video_unreachable");
});

test.each(["", "identity", "Identity"])("a body with the content encoding %j is accepted", async (encoding) => {
  const host = await serve((_, response) => response.writeHead(200, { "content-encoding": encoding }).end(video));
  expect(await get(`http://${host}/`)).toEqual({ bytes: video.length });
});

test("an empty response is not a video", async () => {
  const host = await serve((_, response) => response.end());
  expect(await get(`http://${host}/`)).toContain(
    "media_unreadable: The URL did not return a video: the response is empty",
  );
});

test.each([
  ["<!DOCTYPE html><html>Sign in</html>", "an HTML page"],
  ["\n<HTML>", "an HTML page"],
  ["#EXTM3U\n#EXT-X-VERSION:3", "an HLS playlist"],
  ['{"error":"gone"}', "a JSON document"],
])("%j is not a video", async (text, name) => {
  const host = await serve((_, response) => response.writeHead(200, { "content-type": "video/mp4" }).end(text));
  expect(await get(`http://${host}/`)).toContain(`media_unreadable: The URL did not return a video, but ${name}`);
});

test("a download below the minimum rate is ended", async () => {
  const host = await serve((_, response) => {
    response.write(video.subarray(0, 10));
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  });
  const answer = await get(`http://${host}/`, { minBytesPerSecond: 10_000, rateWindowMs: 200 });
  expect(answer).toContain("video_unreachable: The URL's server sends the video too slowly");
});

test("a server that never answers is given up after the total time", async () => {
  const host = await serve(() => {});
  expect(await get(`http://${host}/`, { totalMs: 200 })).toContain("video_unreachable: The download took longer");
});

test("an endless header is rejected", async () => {
  const host = await listen(
    createTcpServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write(`X-Filler: ${"a".repeat(8000)}\r\n`), 1);
      socket.on("error", () => {}).on("close", () => clearInterval(timer));
    }),
  );
  expect(await get(`http://${host}/`)).toContain("video_unreachable: The URL's server did not answer in valid HTTP");
});

test("an abort rejects with the signal's reason", async () => {
  const host = await serve((_, response) => response.write(video));
  const given = new AbortController();
  const fetched = get(`http://${host}/`, { signal: given.signal });
  given.abort(new Error("the caller left"));
  await expect(fetched).rejects.toThrow("the caller left");
});

test("a resolver that never answers is given up after the total time, or at an abort", async () => {
  const resolve = () => new Promise<never>(() => {});
  const started = performance.now();
  const answer = await get("http://slow.example/", { resolve, totalMs: 200 });
  expect(answer).toContain("video_unreachable: The download took longer");
  const given = new AbortController();
  const fetched = get("http://slow.example/", { resolve, signal: given.signal });
  setImmediate(() => given.abort(new Error("the caller left")));
  await expect(fetched).rejects.toThrow("the caller left");
  expect(performance.now() - started).toBeLessThan(5000);
});

test("a TLS handshake that is never answered is given up after the total time or at an abort, and its connection closed", async () => {
  const server = createTcpServer((socket) => socket.resume());
  const host = await listen(server);
  const started = performance.now();
  const late = once(server, "connection").then(([socket]) => once(socket, "close"));
  expect(await get(`https://${host}/`, { totalMs: 200 })).toContain("video_unreachable: The download took longer");
  await late;
  const given = new AbortController();
  const connected = once(server, "connection");
  const fetched = get(`https://${host}/`, { signal: given.signal });
  const [socket] = await connected;
  const closed = once(socket, "close");
  given.abort(new Error("the caller left"));
  await expect(fetched).rejects.toThrow("the caller left");
  await closed;
  expect(performance.now() - started).toBeLessThan(5000);
});

test("a text that is not a URL is an invalid request", async () => {
  expect(await get("video.mp4")).toContain("invalid_request");
});

function pour(response: ServerResponse): void {
  const more = () => {
    while (response.write(video)) if (response.destroyed) return;
  };
  response.on("drain", more);
  more();
}

const errorWith = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });

test.each([
  ...["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EADDRNOTAVAIL", "EAI_MEMORY", "EAI_SYSTEM"].map((code) =>
    errorWith(code),
  ),
  errorWith("EADDRNOTAVAIL", { address: "8.8.4.4" }),
  new AggregateError([errorWith("ECONNREFUSED"), errorWith("ENOBUFS")]),
  new TypeError("fetch failed", { cause: new Error("broken", { cause: errorWith("ENOMEM") }) }),
])("exhausted local resources are not blamed on the URL: %s", (error) => {
  expect(asUnreachable(error)).toBe(error);
});

test.each([
  ["refused the connection", errorWith("ECONNREFUSED", { syscall: "connect" })],
  ["closed before", errorWith("ECONNRESET")],
  ["did not answer in time", errorWith("UND_ERR_CONNECT_TIMEOUT")],
  ["was not found", errorWith("ENOTFOUND", { syscall: "queryA" })],
  ["cannot be resolved right now", errorWith("EAI_AGAIN", { syscall: "getaddrinfo" })],
  // A machine without IPv6, and a server with IPv6 addresses only.
  ["closed before", errorWith("EADDRNOTAVAIL", { address: "2606:4700::1" })],
  [
    "closed before",
    new AggregateError([errorWith("ECONNREFUSED"), errorWith("EADDRNOTAVAIL", { address: "2606:4700::1" })]),
  ],
])("the message says: %s", (words, error) => {
  const problem = asUnreachable(error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "video_unreachable", message: expect.stringContaining(words), cause: error });
});
