import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGuardedAgent } from "./guarded-agent.ts";

const server = createServer((socket) => {
  connections += 1;
  socket
    .on("error", () => {})
    .resume()
    .end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
});
let connections = 0;
let port: number;

beforeEach(async () => {
  connections = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.close();
  await once(server, "close");
});

async function request(host: string, allowHosts: readonly string[]): Promise<number> {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const agent = createGuardedAgent({ allowHosts, resolve });
  try {
    const { statusCode, body } = await agent.request({ origin: `http://${host}:${port}`, path: "/", method: "GET" });
    await body.dump();
    return statusCode;
  } finally {
    await agent.destroy();
  }
}

test("a private address written in the URL is never connected to", async () => {
  await expect(request("127.0.0.1", [])).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test("a name that resolves to a private address is never connected to", async () => {
  await expect(request("films.example", [])).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test("a listed host is connected to, by address or by name", async () => {
  expect(await request("127.0.0.1", [`127.0.0.1:${port}`])).toBe(200);
  expect(await request("films.example", [`films.example:${port}`])).toBe(200);
  expect(connections).toBe(2);
});
