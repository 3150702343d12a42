import { readFileSync } from "node:fs";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { limitHeaders } from "../requests/requests.ts";
import { openRawConnection } from "../testing/raw-connection.ts";
import { startHttpListener } from "./start-http-listener.ts";

async function start(given: Partial<Parameters<typeof startHttpListener>[1]> = {}) {
  const app = express();
  app.use(limitHeaders);
  app.post("/", (request, response) => {
    request.resume().once("end", () => response.send("read"));
  });
  app.get("/", (_request, response) => response.send("here"));
  app.use(((error, _request, response, _next) => {
    response.status(400).send(error.message);
  }) as express.ErrorRequestHandler);
  const listener = await startHttpListener(app, {
    host: "127.0.0.1",
    port: 0,
    headers: { "X-Content-Type-Options": "nosniff" },
    maxConnections: 10,
    headersTimeoutSeconds: 1,
    uploadTimeoutSeconds: 2,
    ...given,
  });
  onTestFinished(() => listener.close(0));
  return listener;
}

const get = "GET / HTTP/1.1\r\nHost: here\r\n";

/** Sends a few bytes at a time until the connection ends. */
function drip(connection: Awaited<ReturnType<typeof openRawConnection>>, text: string): void {
  const timer = setInterval(() => connection.send(text), 100);
  void connection.closed.then(() => clearInterval(timer));
}

test("a client that sends headers slowly gets an Error and is closed, while others are served", async () => {
  const { port } = await start();
  using slow = await openRawConnection(port);
  const began = performance.now();
  slow.send(get);
  drip(slow, "X: y\r\n");
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("here");
  await slow.closed;
  expect(performance.now() - began).toBeLessThan(6_000);
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 [\s\S]+"code":"invalid_request"/);
});

test("a connection that sends nothing is closed", async () => {
  const { port } = await start();
  using silent = await openRawConnection(port);
  await silent.closed;
  expect(silent.failure()).toBeUndefined();
});

test("a body that arrives slowly is cut off at the time limit of uploads", async () => {
  const { port } = await start();
  using slow = await openRawConnection(port);
  slow.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n");
  drip(slow, "x");
  await slow.closed;
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
});

test("headers of more than 16 KiB, or more than 100 headers, are refused", async () => {
  const { port } = await start();
  using large = await openRawConnection(port);
  large.send(`${get}X: ${"y".repeat(17 * 1024)}\r\n\r\n`);
  await expect.poll(large.received).toContain("The headers are larger than 16 KiB.");
  using many = await openRawConnection(port);
  many.send(`${get}${"X: y\r\n".repeat(100)}\r\n`);
  await expect.poll(many.received).toContain("The request has more than 100 headers.");
  using enough = await openRawConnection(port);
  enough.send(`${get}${"X: y\r\n".repeat(99)}\r\n`);
  await expect.poll(enough.received).toContain("here");
});

test("connections above the limit are closed; those below it are served", async () => {
  const { port } = await start({ maxConnections: 2, headersTimeoutSeconds: 30, uploadTimeoutSeconds: 30 });
  using one = await openRawConnection(port);
  using two = await openRawConnection(port);
  for (const connection of [one, two]) connection.send(`${get}\r\n`);
  await expect
    .poll(() => [one.received(), two.received()].filter((received) => received.endsWith("here")).length)
    .toBe(2);
  using three = await openRawConnection(port);
  await three.closed;
  expect(three.received()).toBe("");
  one.send(`${get}\r\n`);
  await expect.poll(() => one.received().match(/HTTP\/1\.1 200/g)?.length).toBe(2);
});

test.each(["hello\r\n\r\n", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"])(
  "input that is not an HTTP request (%j) gets an Error with the headers of every response and a link to its help",
  async (text) => {
    const { port } = await start();
    using connection = await openRawConnection(port);
    connection.send(text);
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 400 /);
    expect(connection.received()).toContain("X-Content-Type-Options: nosniff\r\n");
    expect(connection.received()).toContain('Link: </docs/guides/errors.md#invalid_request>; rel="help"\r\n');
  },
);

test.each([
  ["an endless header", `${get}X: `],
  ["another protocol", "hello\r\n\r\n"],
  ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
])(
  "a client that keeps sending after malformed input (%s) still gets the Error",
  async (_what, text) => {
    const { port } = await start();
    using connection = await openRawConnection(port);
    connection.send(Buffer.concat([Buffer.from(text), Buffer.alloc(8 * 1024 ** 2, "x")]));
    await connection.closed;
    expect(connection.failure()).toBeUndefined();
    expect(connection.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]+"code":"invalid_request"/);
  },
  10_000,
);

test.runIf(process.platform === "linux")("a silent connection is probed after 30 s", async () => {
  const { port } = await start();
  using connection = await openRawConnection(port);
  connection.send(`${get}\r\n`);
  await expect.poll(() => connection.received()).toContain("here");
  await expect.poll(() => timerOf(port, connection.localPort)?.kind).toBe("keep-alive");
  expect(timerOf(port, connection.localPort)?.seconds).toBeLessThanOrEqual(30);
});

/** Returns the running timer of the server's side of a connection, from the kernel's table (proc(5), "/proc/net/tcp"). */
function timerOf(port: number, clientPort: number): { kind: string; seconds: number } | undefined {
  const hex = (of: number) => `:${of.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const row = rows.find(([, local = "", remote = ""]) => local.endsWith(hex(port)) && remote.endsWith(hex(clientPort)));
  const [kind, ticks] = row?.[5]?.split(":") ?? [];
  if (kind === undefined || ticks === undefined) return undefined;
  return { kind: kind === "02" ? "keep-alive" : kind, seconds: Math.round(Number.parseInt(ticks, 16) / 100) };
}
