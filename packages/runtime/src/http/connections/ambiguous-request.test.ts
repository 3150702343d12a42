import { expect, onTestFinished, test } from "vitest";
import { openRawConnection } from "../testing/raw-connection.ts";
import { startHttpListener } from "./start-http-listener.ts";

async function start() {
  const served: string[] = [];
  const listener = await startHttpListener(
    (request, response) => {
      served.push(request.url ?? "");
      request.resume().once("end", () => response.end("served"));
    },
    {
      host: "127.0.0.1",
      port: 0,
      headers: { "X-Content-Type-Options": "nosniff" },
      maxConnections: 10,
      headersTimeoutSeconds: 5,
      uploadTimeoutSeconds: 5,
    },
  );
  onTestFinished(() => listener.close(0));
  return { port: listener.port, served };
}

test.each([
  ["two Host headers", 400, "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"],
  [
    "two Authorization headers",
    400,
    "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y\r\n\r\n",
  ],
  ["a request line of HTTP/2", 400, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"],
  [
    "an unknown transfer coding",
    501,
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  ],
  ["the coding identity", 501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n"],
  [
    "codings in two headers",
    501,
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "an unknown coding before 100 Continue",
    501,
    "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: x, chunked\r\n\r\n",
  ],
])("a request with %s is refused with an Error body, and its connection is closed", async (_name, status, text) => {
  const { port, served } = await start();
  using connection = await openRawConnection(port);
  connection.send(text);
  connection.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  await connection.closed;
  expect(connection.received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]+"code":"invalid_request"`));
  expect(connection.received()).toContain("X-Content-Type-Options: nosniff\r\n");
  expect(served).toEqual([]);
});

test.each([
  "GET / HTTP/1.0\r\n\r\n",
  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nX-A: 1\r\nConnection: close\r\n\r\n",
])("%j is served", async (text) => {
  const { port } = await start();
  using connection = await openRawConnection(port);
  connection.send(text);
  await connection.closed;
  expect(connection.received()).toMatch(/^HTTP\/1\.1 200 /);
});
