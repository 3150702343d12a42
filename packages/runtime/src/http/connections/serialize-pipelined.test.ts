import type { Server } from "node:http";
import type { Socket } from "node:net";
import express, { type Response } from "express";
import { expect, onTestFinished, test } from "vitest";
import { openRawConnection } from "../testing/raw-connection.ts";
import { maxPipelined } from "./serialize-pipelined.ts";
import { startHttpListener } from "./start-http-listener.ts";

/** A server that records the paths it serves. The test sends the responses of `/held` and `/stream`. */
async function start(headersTimeoutSeconds = 60) {
  const served: string[] = [];
  const held: Response[] = [];
  const errors: Error[] = [];
  const app = express();
  app.use((request, _response, next) => {
    const { server } = request.socket as Socket & { server: Server };
    if (served.length === 0) server.once("clientError", (error) => errors.push(error));
    served.push(request.path);
    next();
  });
  app.post(["/held", "/stream"], express.raw({ type: () => true }), (request, response) => {
    held.push(response);
    if (request.path === "/stream") response.type("text/event-stream").write(": here\n\n");
  });
  app.use((request, response) => response.send(`[${request.path}]`));
  const listener = await startHttpListener(app, {
    host: "127.0.0.1",
    port: 0,
    headers: {},
    maxConnections: 10,
    headersTimeoutSeconds,
    uploadTimeoutSeconds: 60,
  });
  onTestFinished(() => listener.close(0));
  const connection = await openRawConnection(listener.port);
  onTestFinished(() => connection[Symbol.dispose]());
  let sent = 0;
  return {
    ...connection,
    served,
    held,
    /** The errors that Node found on the connection. */
    errors,
    send: (text: string) => {
      sent += text.length;
      connection.send(text);
    },
    /** Waits until one response is held and the server has read everything that was sent. */
    allArrived: () => expect.poll(() => held[0]?.socket?.bytesRead).toBe(sent),
  };
}

const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`);

test("pipelined requests are answered in order, and each starts after the response before it", async () => {
  const { send, received, served, held, allArrived } = await start();
  const behind = paths(maxPipelined - 1);
  send(post("/held") + behind.map(get).join(""));
  await allArrived();
  expect(served).toEqual(["/held"]);
  held[0]?.send("[paid]");
  await expect.poll(() => received().match(/\[.*?\]/g)).toEqual(["[paid]", ...behind.map((path) => `[${path}]`)]);
});

test("too many pipelined requests close the connection, and none of them is started", async () => {
  const { send, closed, served } = await start();
  send(post("/held") + paths(1000).map(get).join(""));
  await closed;
  expect(served).toEqual(["/held"]);
});

test("a pipelined request of a client that has gone is not started", async () => {
  const { send, reset, served, held, allArrived } = await start();
  send(post("/held") + get("/behind"));
  await allArrived();
  reset();
  await expect.poll(() => held[0]?.closed).toBe(true);
  expect(served).toEqual(["/held"]);
});

test.each([
  ["bytes beyond its length", "/held", "xx", ""],
  ["malformed bytes, later", "/held", "", "\0"],
  ["CONNECT", "/held", "", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["malformed bytes during an event stream", "/stream", "", "\0"],
  ["a request and malformed bytes", "/held", get("/behind"), "\0"],
])(
  "a request gets its response whatever follows it (%s), and the connection closes then",
  async (_what, path, surplus, later) => {
    const { send, received, closed, served, held, allArrived } = await start();
    send(post(path) + surplus);
    await allArrived();
    send(later);
    await allArrived();
    held[0]?.end("[paid]");
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\[paid\]/);
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(served).toEqual([path]);
  },
);

test("a request gets its response although the head of the next one arrives too late", async () => {
  const { send, received, closed, held, errors } = await start(2);
  send(`${post("/held")}GET / HTTP/1.1\r\nHo`);
  await expect.poll(() => errors.length).toBe(1);
  held[0]?.send("[paid]");
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*\[paid\]$/);
});

test("a malformed body behind a complete response gets its own Error", async () => {
  const { send, received, closed, held, allArrived } = await start();
  send(post("/held"));
  await allArrived();
  held[0]?.send("[paid]");
  await expect.poll(received).toContain("[paid]");
  send("POST /held HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n");
  await closed;
  expect(received()).toMatch(/\[paid\]HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/);
});
