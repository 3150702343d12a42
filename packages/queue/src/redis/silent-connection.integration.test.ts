import { randomUUID } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { testRedis } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { inMs, queueUnderTest } from "../testing/queue.harness.ts";

/** Starts a TCP relay to Redis. `silence` stops all traffic on its open connections without closing them. */
async function startRelay(target: URL): Promise<{ url: string; silence(): void } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => (socket === client ? server : client).destroy());
    }
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = new URL(target);
  address.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  return {
    // With the password of the server.
    url: address.href,
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

test("silent connections are replaced in the queue, in completions and in the worker", async () => {
  const { url, prefix } = testRedis();
  await using relay = await startRelay(new URL(url));
  await using under = queueUnderTest({ url: relay.url, prefix });
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: 100_000 });
  under.worker(async (jobId) => void under.finished.add(jobId));
  await under.ready();
  relay.silence();

  const works = async () => {
    const jobId = randomUUID();
    await queue.enqueue(jobId);
    return completions.wait(jobId, { deadline: inMs(1_000) });
  };
  await expect.poll(() => works().catch(() => "away"), { timeout: 30_000 }).toBe("finished");
});
