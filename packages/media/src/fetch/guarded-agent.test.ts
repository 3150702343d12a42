import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGuardedAgent } from "./guarded-agent.ts";
import { hostsOfThisMachine, otherPrivateHosts, privateAnswers } from "./hostile-hosts.fixture.ts";
import type { Resolve } from "./resolve-name.ts";

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

test.each([...hostsOfThisMachine, ...otherPrivateHosts])("%s is not connected to, whatever its port", async (host) => {
  await expect(request(host, [])).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test.each(privateAnswers)("a name for which a resolver says %j is not connected to", async (address) => {
  const own = { address, family: address.includes(":") ? 6 : 4 };
  const other = { address: "1.1.1.1", family: 4 };
  for (const answer of [[own], [own, other], [other, own], [other, other, own]])
    await expect(request("films.example", [], async () => answer)).rejects.toMatchObject({ code: "video_unreachable" });
  expect(connections).toBe(0);
});

test("a name is asked for once for each connection, and that answer is the one connected to", async () => {
  let asked = 0;
  const turning: Resolve = async () => [{ address: ++asked === 1 ? "127.0.0.1" : "10.0.0.5", family: 4 }];
  expect(await request("films.example", [`films.example:${port}`], turning)).toBe(200);
  expect([asked, connections]).toEqual([1, 1]);
  // The same name under a port that is not listed is judged by what it resolves to by then.
  await expect(request("films.example", ["films.example:1"], turning)).rejects.toMatchObject({
    code: "video_unreachable",
  });
  expect([asked, connections]).toEqual([2, 1]);
});
