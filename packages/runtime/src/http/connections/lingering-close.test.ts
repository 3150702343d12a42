import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import express from "express";
import { expect, test } from "vitest";
import { openRawConnection } from "../testing/raw-connection.ts";
import { lingeringClose } from "./start-http-listener.ts";

const body = Buffer.alloc(8 * 1024 ** 2, "x");
const head = (version: string, headers: string[]) =>
  [`POST / HTTP/${version}`, "Host: a", `Content-Length: ${body.length}`, ...headers, "", ""].join("\r\n");

async function serve() {
  const app = express();
  app.use(lingeringClose);
  app.post("/", (_request, response) => void response.status(400).send("refused"));
  app.post("/arrived", async (request, response) => {
    while (!request.complete) await turn();
    response.status(400).send("refused");
  });
  app.post("/read", (request, response) => void request.resume().once("end", () => response.send("read")));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test.each([
  ["1.1", ["Connection: close"]],
  ["1.0", []],
])(
  "a client that keeps sending after a refusal gets the response, then the close (HTTP/%s, %j)",
  async (version, headers) => {
    using server = await serve();
    using connection = await openRawConnection(server.port);
    connection.send(head(version, headers));
    connection.send(body);
    await connection.closed;
    expect(connection.failure()).toBeUndefined();
    expect(connection.received()).toMatch(/refused$/);
  },
);

test("a response before the body was read closes at once if all of the body has arrived", async () => {
  using server = await serve();
  using connection = await openRawConnection(server.port);
  connection.send("POST /arrived HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
  await connection.closed;
  expect(connection.received()).toMatch(/refused$/);
});

test("a response to a body that was read closes where the client asked for it, and says so", async () => {
  using server = await serve();
  using connection = await openRawConnection(server.port);
  connection.send(`POST /read HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\n`);
  connection.send("x");
  await connection.closed;
  expect(connection.received()).toMatch(/\r\nConnection: close\r\n.*read$/s);
});
