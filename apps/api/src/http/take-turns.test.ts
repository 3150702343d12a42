import type { Server } from "node:http";
import type { Socket } from "node:net";
import express, { type Response } from "express";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";
import { openRawConnection } from "./raw-connection.harness.ts";
import { mostInHand } from "./take-turns.ts";

/** A server that tells what it was asked for, and of which the test gives out the answers of `/held` and of `/stream`. */
async function start(headersTimeoutSeconds = 60) {
  const asked: string[] = [];
  const held: Response[] = [];
  const errors: Error[] = [];
  const app = express();
  app.use((request, _response, next) => {
    const { server } = request.socket as Socket & { server: Server };
    if (asked.length === 0) server.once("clientError", (error) => errors.push(error));
    asked.push(request.path);
    next();
  });
  app.post(["/held", "/stream"], express.raw({ type: () => true }), (request, response) => {
    held.push(response);
    if (request.path === "/stream") response.type("text/event-stream").write(": here\n\n");
  });
  app.use((request, response) => response.send(`[${request.path}]`));
  const listener = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    publicUrl: undefined,
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
    asked,
    held,
    /** What the connection was found to be at fault with. */
    errors,
    send: (text: string) => {
      sent += text.length;
      connection.send(text);
    },
    /** Waits until one answer is held and all that was sent has been read. */
    allArrived: () => expect.poll(() => held[0]?.socket?.bytesRead).toBe(sent),
  };
}

const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`);

test("requests that are sent ahead are answered in order, and none is begun before the answer in hand is out", async () => {
  const { send, said, asked, held, allArrived } = await start();
  const behind = paths(mostInHand - 1);
  send(post("/held") + behind.map(get).join(""));
  await allArrived();
  expect(asked).toEqual(["/held"]);
  held[0]?.send("[paid]");
  await expect.poll(() => said().match(/\[.*?\]/g)).toEqual(["[paid]", ...behind.map((path) => `[${path}]`)]);
});

test("who sends more ahead than a connection may have in hand is hung up on, and none of it is begun", async () => {
  const { send, closed, asked } = await start();
  send(post("/held") + paths(1000).map(get).join(""));
  await closed;
  expect(asked).toEqual(["/held"]);
});

test("what was sent ahead by a caller who has gone is not begun", async () => {
  const { send, reset, asked, held, allArrived } = await start();
  send(post("/held") + get("/behind"));
  await allArrived();
  reset();
  await expect.poll(() => held[0]?.closed).toBe(true);
  expect(asked).toEqual(["/held"]);
});

test.each([
  ["bytes that its length did not tell of", "/held", "xx", ""],
  ["something else, later", "/held", "", "\0"],
  ["CONNECT", "/held", "", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["bytes within a stream of events", "/stream", "", "\0"],
  ["a request and something else", "/held", get("/behind"), "\0"],
])(
  "a request has its answer whatever comes behind it (%s), and it is the last of its connection",
  async (_what, path, surplus, later) => {
    const { send, said, closed, asked, held, allArrived } = await start();
    send(post(path) + surplus);
    await allArrived();
    send(later);
    await allArrived();
    held[0]?.end("[paid]");
    await closed;
    expect(said()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\[paid\]/);
    expect(said().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(asked).toEqual([path]);
  },
);

test("a request has its answer though the head of the next one stays away for too long", async () => {
  const { send, said, closed, held, errors } = await start(2);
  send(`${post("/held")}GET / HTTP/1.1\r\nHo`);
  await expect.poll(() => errors.length).toBe(1);
  held[0]?.send("[paid]");
  await closed;
  expect(said()).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n[\s\S]*\[paid\]$/);
});

test("what is wrong within a body is told of as long as there is no answer, also behind one that is out", async () => {
  const { send, said, closed, held, allArrived } = await start();
  send(post("/held"));
  await allArrived();
  held[0]?.send("[paid]");
  await expect.poll(said).toContain("[paid]");
  send("POST /held HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n");
  await closed;
  expect(said()).toMatch(/\[paid\]HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/);
});
