import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type EventStream, openEventStream } from "./event-stream.ts";

type Opened = { stream: EventStream; response: ServerResponse };

/** Starts a server whose responses are streams. Passes each stream to `onOpen`. */
async function startServer(onOpen: (opened: Opened) => void, commentEveryMs = 60_000) {
  const server = createServer((_request, response) => {
    onOpen({ stream: openEventStream(response, { commentEveryMs }), response });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("a stream has the headers of events, and its events arrive as they were sent", async () => {
  const port = await startServer(({ stream }) => {
    stream.send({ name: "admitted", data: '{"id":"1"}' });
    stream.end({ name: "error", data: "{\n}", retryMs: 5000 });
  });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  expect(await response.text()).toBe(
    'event: admitted\ndata: {"id":"1"}\n\nevent: error\nretry: 5000\ndata: {\ndata: }\n\n',
  );
});

test("comments follow one another until the last event, and none comes after it", async () => {
  const opened = Promise.withResolvers<Opened>();
  const port = await startServer(opened.resolve, 20);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  let [text, isOpen] = ["", true];
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (!isOpen || !text.startsWith(": waiting\n\n: waiting\n\n")) continue;
    (await opened.promise).stream.end({ name: "result", data: "1" });
    isOpen = false;
  }
  expect(text).toMatch(/^(: waiting\n\n){2,}event: result\ndata: 1\n\n$/);
});

test("a client that reads nothing costs 64 KiB of events at most, and still gets the last one when it reads", async () => {
  const opened = Promise.withResolvers<Opened>();
  const port = await startServer(opened.resolve);
  const client = connect(port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.pause().write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  const { stream, response } = await opened.promise;
  let most = 0;
  const data = "x".repeat(1000);
  for (let batch = 0; batch < 200; batch++) {
    for (let event = 0; event < 200; event++) stream.send({ name: "progress", data });
    most = Math.max(most, response.writableLength);
    await sleep(1);
  }
  expect(most).toBeGreaterThan(60_000);
  expect(most).toBeLessThan(70_000);
  stream.end({ name: "result", data: "whole" });
  let last = "";
  client
    .on("data", (bytes) => {
      last = (last + bytes.toString()).slice(-100);
    })
    .resume();
  await expect.poll(() => last).toContain("event: result\ndata: whole\n\n");
});

test.each(["before", "after"])("a stream whose client goes %s it starts keeps no timer", async (moment) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const requested = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => requested.resolve(response)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  const response = await requested.promise;
  const timers = vi.getTimerCount();
  const closed = once(response, "close");
  const open = () => openEventStream(response, { commentEveryMs: 10 });
  const early = moment === "after" ? open() : undefined;
  client.destroy();
  await closed;
  const stream = early ?? open();
  expect(vi.getTimerCount()).toBe(timers);
  stream.send({ name: "progress", data: "1" });
  stream.end({ name: "result", data: "1" });
});
