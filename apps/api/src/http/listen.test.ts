import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { limitHeaders } from "./limit-headers.ts";
import { listen } from "./listen.ts";
import { openRawConnection } from "./raw-connection.harness.ts";

async function start(given: Partial<Parameters<typeof listen>[1]> = {}) {
  const app = express();
  app.use(limitHeaders);
  app.post("/", (request, response) => {
    request.resume().once("end", () => response.send("read"));
  });
  app.get("/", (_request, response) => response.send("here"));
  app.use(((error, _request, response, _next) => {
    response.status(400).send(error.message);
  }) as express.ErrorRequestHandler);
  const listener = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    publicUrl: "https://api.example.com",
    maxConnections: 10,
    headersTimeoutSeconds: 1,
    uploadTimeoutSeconds: 2,
    ...given,
  });
  onTestFinished(() => listener.close(0));
  return listener;
}

const get = "GET / HTTP/1.1\r\nHost: here\r\n";

/** Sends a little at a time, for as long as the connection lasts. */
function drip(connection: Awaited<ReturnType<typeof openRawConnection>>, text: string): void {
  const timer = setInterval(() => connection.send(text), 100);
  void connection.closed.then(() => clearInterval(timer));
}

test("headers that are dripped are cut off with an Error, however steadily they come, and others are served meanwhile", async () => {
  const { port } = await start();
  using slow = await openRawConnection(port);
  const began = performance.now();
  slow.send(get);
  drip(slow, "X: y\r\n");
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("here");
  await slow.closed;
  expect(performance.now() - began).toBeLessThan(6_000);
  expect(slow.said()).toMatch(/^HTTP\/1\.1 400 [\s\S]+"code":"invalid_request"/);
});

test("a connection on which nothing is sent at all is ended as well", async () => {
  const { port } = await start();
  using silent = await openRawConnection(port);
  await silent.closed;
  expect(silent.failure()).toBeUndefined();
});

test("a body that is dripped is cut off at the longest that an upload may take", async () => {
  const { port } = await start();
  using slow = await openRawConnection(port);
  slow.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n");
  drip(slow, "x");
  await slow.closed;
  expect(slow.said()).toMatch(/^HTTP\/1\.1 400 /);
});

test("headers of more than 16 KiB are refused, and so are more than a hundred", async () => {
  const { port } = await start();
  using large = await openRawConnection(port);
  large.send(`${get}X: ${"y".repeat(17 * 1024)}\r\n\r\n`);
  await expect.poll(large.said).toContain("The headers are larger than 16 KiB.");
  using many = await openRawConnection(port);
  many.send(`${get}${"X: y\r\n".repeat(100)}\r\n`);
  await expect.poll(many.said).toContain("There are more than 100 headers.");
  using enough = await openRawConnection(port);
  enough.send(`${get}${"X: y\r\n".repeat(99)}\r\n`);
  await expect.poll(enough.said).toContain("here");
});

test("no more connections are held than are allowed; those there are go on", async () => {
  const { port } = await start({ maxConnections: 2, headersTimeoutSeconds: 30, uploadTimeoutSeconds: 30 });
  using one = await openRawConnection(port);
  using two = await openRawConnection(port);
  for (const connection of [one, two]) connection.send(`${get}\r\n`);
  await expect.poll(() => [one.said(), two.said()].filter((said) => said.endsWith("here")).length).toBe(2);
  using three = await openRawConnection(port);
  await three.closed;
  expect(three.said()).toBe("");
  one.send(`${get}\r\n`);
  await expect.poll(() => one.said().match(/HTTP\/1\.1 200/g)?.length).toBe(2);
});

test.each(["hello\r\n\r\n", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"])(
  "what is no request that can be served (%j) is answered with an Error, under the headers of every answer",
  async (text) => {
    const { port } = await start();
    using connection = await openRawConnection(port);
    connection.send(text);
    await connection.closed;
    expect(connection.said()).toMatch(/^HTTP\/1\.1 400 /);
    expect(connection.said()).toContain("X-Content-Type-Options: nosniff\r\n");
    expect(connection.said()).toContain("Strict-Transport-Security: max-age=31536000\r\n");
  },
);

test.each([
  ["a header without an end", `${get}X: `],
  ["something else", "hello\r\n\r\n"],
  ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
])(
  "who sends on after what is no request (%s) has the Error all the same",
  async (_what, text) => {
    const { port } = await start();
    using connection = await openRawConnection(port);
    connection.send(Buffer.concat([Buffer.from(text), Buffer.alloc(8 * 1024 ** 2, "x")]));
    await connection.closed;
    expect(connection.failure()).toBeUndefined();
    expect(connection.said()).toMatch(/^HTTP\/1\.1 400 [\s\S]+"code":"invalid_request"/);
  },
  10_000,
);
