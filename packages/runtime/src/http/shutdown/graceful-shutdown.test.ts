import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { type HttpListener, startHttpListener } from "../connections/start-http-listener.ts";
import { openRawConnection } from "../testing/raw-connection.ts";
import { createGracefulShutdown, type GracefulShutdown } from "./graceful-shutdown.ts";

/** A server with graceful shutdown, and a route whose response the test sends. */
async function start(): Promise<{
  shutdown: GracefulShutdown;
  listener: HttpListener;
  held(): number;
  answer(): void;
}> {
  const shutdown = createGracefulShutdown();
  const waiting: (() => void)[] = [];
  const app = express();
  app.use(shutdown.middleware);
  app.get("/", (_request, response) => response.send("here"));
  app.all("/held", (request, response) => {
    request.resume();
    waiting.push(() => response.send("held"));
  });
  const listener = await startHttpListener(app, {
    host: "127.0.0.1",
    port: 0,
    headers: {},
    maxConnections: 100,
    headersTimeoutSeconds: 15,
    uploadTimeoutSeconds: 60,
  });
  onTestFinished(() => listener.close(0));
  return {
    shutdown,
    listener,
    held: () => waiting.length,
    answer: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

/** Opens a new connection and returns the code of its error, if any. */
async function connectError(port: number): Promise<string | undefined> {
  try {
    using connection = await openRawConnection(port);
    return connection.failure();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;
const refusal =
  /^HTTP\/1\.1 503 [\s\S]*Link: <\S+#provider_unavailable>; rel="help"\r\n[\s\S]*Retry-After: 1\r\n[\s\S]*Connection: close\r\n[\s\S]*"code":"provider_unavailable"/;

test("a response during the drain closes its connection", async () => {
  const { shutdown, listener, held, answer } = await start();
  using before = await openRawConnection(listener.port);
  before.send(get("/held"));
  await expect.poll(held).toBe(1);
  const draining = shutdown.drain(300);
  using during = await openRawConnection(listener.port);
  during.send(get("/"));
  await during.closed;
  answer();
  await before.closed;
  for (const received of [before.received(), during.received()])
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]+Connection: close\r\n/);
  await draining;
});

test("after the drain, a request on a kept connection gets 503 with Retry-After, and no reset", async () => {
  const { shutdown, listener } = await start();
  using kept = await openRawConnection(listener.port);
  kept.send(get("/"));
  await expect.poll(kept.received).toContain("here");
  shutdown.refuseRequests();
  const closed = listener.close(5_000);
  await expect.poll(() => connectError(listener.port)).toBe("ECONNREFUSED");
  kept.send(get("/"));
  await kept.closed;
  expect(kept.failure()).toBeUndefined();
  expect(kept.received().slice(kept.received().indexOf("here") + 4)).toMatch(refusal);
  await closed;
});

test("an upload that is refused can read the 503 while it sends, and is not reset", async () => {
  const { shutdown, listener } = await start();
  using kept = await openRawConnection(listener.port);
  kept.send(get("/"));
  await expect.poll(kept.received).toContain("here");
  shutdown.refuseRequests();
  const part = Buffer.alloc(64 * 1024);
  kept.send(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${40 * part.length}\r\n\r\n`);
  kept.send(part);
  await expect.poll(() => kept.received().split("here").at(1)).toMatch(refusal);
  for (let sent = 1; sent < 40; sent++) kept.send(part);
  await kept.closed;
  expect(kept.failure()).toBeUndefined();
});

test("close waits for requests in flight, uploads too, and closes idle connections after the given time", async () => {
  const { shutdown, listener, held, answer } = await start();
  using idle = await openRawConnection(listener.port);
  idle.send(get("/"));
  await expect.poll(idle.received).toContain("here");
  using waits = await openRawConnection(listener.port);
  waits.send(get("/held"));
  using uploads = await openRawConnection(listener.port);
  uploads.send("POST /held HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n01234");
  await expect.poll(held).toBe(2);
  shutdown.refuseRequests();
  let isClosed = false;
  const began = performance.now();
  const closed = listener.close(300).then(() => {
    isClosed = true;
  });
  expect(idle.isOpen()).toBe(true);
  await idle.closed;
  expect(performance.now() - began).toBeGreaterThan(290);
  expect([isClosed, waits.isOpen(), uploads.isOpen()]).toEqual([false, true, true]);
  uploads.send("56789");
  answer();
  await closed;
  for (const received of [waits.received(), uploads.received()])
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]+held$/);
});
