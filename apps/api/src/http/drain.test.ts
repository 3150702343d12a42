import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { type Drain, openDrain } from "./drain.ts";
import { type Listener, listen } from "./listen.ts";
import { openRawConnection } from "./raw-connection.harness.ts";

/** A server with a door, and a route whose answer the test gives out. */
async function start(): Promise<{ drain: Drain; listener: Listener; held(): number; answer(): void }> {
  const drain = openDrain();
  const waiting: (() => void)[] = [];
  const app = express();
  app.use(drain.guard);
  app.get("/", (_request, response) => response.send("here"));
  app.all("/held", (request, response) => {
    request.resume();
    waiting.push(() => response.send("held"));
  });
  const listener = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    publicUrl: undefined,
    maxConnections: 100,
    headersTimeoutSeconds: 15,
    uploadTimeoutSeconds: 60,
  });
  onTestFinished(() => listener.close(0));
  return {
    drain,
    listener,
    held: () => waiting.length,
    answer: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

/** What comes of a new connection: the code of its error, if any. */
async function knock(port: number): Promise<string | undefined> {
  try {
    using connection = await openRawConnection(port);
    return connection.failure();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;
const refusal =
  /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n[\s\S]*Connection: close\r\n[\s\S]*"code":"provider_unavailable"/;

test("who is served while the process takes its leave is told to make a new connection next time", async () => {
  const { drain, listener, held, answer } = await start();
  using before = await openRawConnection(listener.port);
  before.send(get("/held"));
  await expect.poll(held).toBe(1);
  const leaving = drain.leave(300);
  using during = await openRawConnection(listener.port);
  during.send(get("/"));
  await during.closed;
  answer();
  await before.closed;
  for (const said of [before.said(), during.said()])
    expect(said).toMatch(/^HTTP\/1\.1 200 [\s\S]+Connection: close\r\n/);
  await leaving;
});

test("a request on a kept connection is refused with 503, Retry-After and the end of the connection, never reset", async () => {
  const { drain, listener } = await start();
  using kept = await openRawConnection(listener.port);
  kept.send(get("/"));
  await expect.poll(kept.said).toContain("here");
  drain.shut();
  const closed = listener.close(5_000);
  await expect.poll(() => knock(listener.port)).toBe("ECONNREFUSED");
  kept.send(get("/"));
  await kept.closed;
  expect(kept.failure()).toBeUndefined();
  expect(kept.said().slice(kept.said().indexOf("here") + 4)).toMatch(refusal);
  await closed;
});

test("an upload that is refused gets the refusal while it sends, and is not reset by it", async () => {
  const { drain, listener } = await start();
  using kept = await openRawConnection(listener.port);
  kept.send(get("/"));
  await expect.poll(kept.said).toContain("here");
  drain.shut();
  const part = Buffer.alloc(64 * 1024);
  kept.send(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${40 * part.length}\r\n\r\n`);
  kept.send(part);
  await expect.poll(() => kept.said().split("here").at(1)).toMatch(refusal);
  for (let sent = 1; sent < 40; sent++) kept.send(part);
  await kept.closed;
  expect(kept.failure()).toBeUndefined();
});

test("closing waits for what is held, uploads too, and for idle connections no longer than it was told to", async () => {
  const { drain, listener, held, answer } = await start();
  using idle = await openRawConnection(listener.port);
  idle.send(get("/"));
  await expect.poll(idle.said).toContain("here");
  using waits = await openRawConnection(listener.port);
  waits.send(get("/held"));
  using uploads = await openRawConnection(listener.port);
  uploads.send("POST /held HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n01234");
  await expect.poll(held).toBe(2);
  drain.shut();
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
  for (const said of [waits.said(), uploads.said()]) expect(said).toMatch(/^HTTP\/1\.1 200 [\s\S]+held$/);
});
