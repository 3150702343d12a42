import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { unreadMs } from "./end-unread.ts";
import { listen } from "./listen.ts";

/** A server whose clock the test moves. */
async function start(app: RequestListener): Promise<number> {
  const listener = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    publicUrl: undefined,
    maxConnections: 10,
    headersTimeoutSeconds: 15,
    uploadTimeoutSeconds: 60,
  });
  onTestFinished(() => listener.close(0));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  return listener.port;
}

/** A caller who asks, and takes only what the test takes for it. */
function ask(port: number) {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void socket.destroy());
  socket.write("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  let read = 0;
  /** Takes so much, or what there is to the end. */
  const take = async (bytes: number) => {
    for (const enough = read + bytes; read < enough && !socket.readableEnded; ) {
      const chunk = socket.read() as Buffer | null;
      if (chunk) read += chunk.length;
      else await Promise.race([once(socket, "readable"), once(socket, "end")]);
    }
    return read;
  };
  return { socket, take };
}

test("a caller who takes nothing of an answer is hung up on, whatever it sends meanwhile; one who takes it slowly has all of it", async () => {
  const large = Buffer.alloc(64 * 1024 ** 2);
  const closed: unknown[] = [];
  const port = await start(({ socket }, response) => {
    const { remotePort } = socket;
    socket.once("close", () => closed.push(remotePort));
    response.end(large);
  });
  const [idle, slow] = [ask(port), ask(port)];
  for (let look = 1; look <= 3; look++) {
    // More than the system holds between the two: some of it was taken from the server.
    await slow.take(16 * 1024 ** 2);
    idle.socket.write("\r\n");
    vi.advanceTimersByTime(unreadMs);
  }
  await expect.poll(() => closed).toEqual([idle.socket.localPort]);
  expect(await slow.take(large.length)).toBeGreaterThan(large.length);
});

test("a caller whose answer is not there yet waits as long as it takes", async () => {
  const asked = Promise.withResolvers<() => void>();
  const port = await start((_request, response) => asked.resolve(() => response.end("at last")));
  const answer = fetch(`http://127.0.0.1:${port}/`);
  const give = await asked.promise;
  vi.advanceTimersByTime(100 * unreadMs);
  give();
  expect(await (await answer).text()).toBe("at last");
});
