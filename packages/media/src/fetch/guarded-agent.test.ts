import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Resolve } from "./guarded-agent.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { hostsOfThisMachine, otherPrivateHosts, privateAnswers } from "./hostile-hosts.fixture.ts";

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

const toThisMachine: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];

async function request(host: string, allowHosts: readonly string[], resolve = toThisMachine): Promise<number> {
  const agent = createGuardedAgent({ allowHosts, resolve });
  try {
    const { origin } = new URL(`http://${host}:${port}`);
    const { statusCode, body } = await agent.request({ origin, path: "/", method: "GET" });
    await body.dump();
    return statusCode;
  } finally {
    await agent.destroy();
  }
}

test("no connection is opened to a private address in the URL", async () => {
  await expect(request("127.0.0.1", [])).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test("no connection is opened to a name that resolves to a private address", async () => {
  await expect(request("films.example", [])).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test("an allowed host is connected to, by address or by name", async () => {
  expect(await request("127.0.0.1", [`127.0.0.1:${port}`])).toBe(200);
  expect(await request("films.example", [`films.example:${port}`])).toBe(200);
  expect(connections).toBe(2);
});

test.each([...hostsOfThisMachine, ...otherPrivateHosts])("no connection is opened to %s", async (host) => {
  await expect(request(host, [])).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test.each(privateAnswers)("no connection is opened to a name that resolves to %j", async (address) => {
  const own = { address, family: address.includes(":") ? 6 : 4 };
  const other = { address: "1.1.1.1", family: 4 };
  for (const answer of [[own], [own, other], [other, own], [other, other, own]])
    await expect(request("films.example", [], async () => answer)).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test("a name is resolved once for each connection, and the connection uses that answer", async () => {
  let resolutions = 0;
  const turning: Resolve = async () => [{ address: ++resolutions === 1 ? "127.0.0.1" : "10.0.0.5", family: 4 }];
  expect(await request("films.example", [`films.example:${port}`], turning)).toBe(200);
  expect([resolutions, connections]).toEqual([1, 1]);
  // The same name with another port is not exempt, so the new answer is checked.
  await expect(request("films.example", ["films.example:1"], turning)).rejects.toMatchObject({
    code: "video_unreachable",
  });
  expect([resolutions, connections]).toEqual([2, 1]);
});
