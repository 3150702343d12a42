import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openProxy } from "./network.ts";

async function openEcho() {
  const gone: Socket[] = [];
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => {
      received.push(String(bytes));
      socket.write(String(bytes).toUpperCase());
    });
    socket.on("error", () => {});
    socket.on("close", () => gone.push(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const proxy = await openProxy(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  async function openClient() {
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    await once(socket, "connect");
    return {
      socket,
      send: (text: string) => void socket.write(text),
      answer: async () => String((await once(socket, "data"))[0]),
    };
  }
  return { proxy, gone, received, openClient };
}

test("bytes pass both ways, and the other side receives the end of one side", async () => {
  const { gone, openClient } = await openEcho();
  const client = await openClient();
  client.send("a");
  expect(await client.answer()).toBe("A");
  client.socket.destroy();
  await expect.poll(() => gone.length).toBe(1);
});

test.for(["both", "to-server", "to-client"] as const)(
  "a connection that was silent (%s) stays silent, new ones work",
  async (direction) => {
    const { proxy, received, gone, openClient } = await openEcho();
    const silent = await openClient();
    const heard: string[] = [];
    silent.socket.on("data", (bytes) => heard.push(String(bytes)));
    const speak = proxy.silence(direction);
    silent.send("lost");
    if (direction === "to-client") await expect.poll(() => received).toEqual(["lost"]);
    // The proxy reads the lost bytes before it accepts later ones.
    const other = await openClient();
    other.send("lost too");
    if (direction === "to-client") await expect.poll(() => received.length).toBe(2);
    else await expect.poll(() => other.socket.bytesWritten).toBe(8);
    await new Promise(setImmediate);
    await expect.poll(() => silent.socket.bytesWritten).toBe(4);
    speak();
    const fresh = await openClient();
    fresh.send("new");
    expect(await fresh.answer()).toBe("NEW");
    expect(heard).toEqual([]);
    expect([silent.socket.destroyed, gone.length]).toEqual([false, 0]);
  },
);

test("connections that are forgotten stay open and silent, new ones work", async () => {
  const { proxy, gone, openClient } = await openEcho();
  const old = await openClient();
  old.send("a");
  expect(await old.answer()).toBe("A");
  proxy.forget();
  old.send("b");
  const fresh = await openClient();
  fresh.send("c");
  expect(await fresh.answer()).toBe("C");
  expect([old.socket.destroyed, old.socket.bytesRead, gone.length]).toEqual([false, 1, 0]);
});

test("the reply to one COMMIT is lost, and those of other connections are not", async () => {
  const { proxy, received, openClient } = await openEcho();
  const [unlucky, lucky] = [await openClient(), await openClient()];
  proxy.loseCommitReply();
  expect(proxy.awaitsCommit()).toBe(true);
  unlucky.send("commit\0");
  await expect.poll(() => received).toEqual(["commit\0"]);
  await expect.poll(() => proxy.awaitsCommit()).toBe(false);
  lucky.send("commit\0");
  expect(await lucky.answer()).toBe("COMMIT\0");
  expect(unlucky.socket.bytesRead).toBe(0);
});
