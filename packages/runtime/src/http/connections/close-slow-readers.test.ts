import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { slowReaderCheckMs, startHttpListener } from "./start-http-listener.ts";

/** A server whose timers the test moves. */
async function start(app: RequestListener): Promise<number> {
  const listener = await startHttpListener(app, {
    host: "127.0.0.1",
    port: 0,
    headers: {},
    maxConnections: 10,
    headersTimeoutSeconds: 15,
    uploadTimeoutSeconds: 60,
  });
  onTestFinished(() => listener.close(0));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  return listener.port;
}

/** A client that sends a request and reads only as much as the test allows. */
function openClient(port: number) {
  // Each wait leaves a listener.
  const socket = connect(port, "127.0.0.1")
    .on("error", () => {})
    .setMaxListeners(0);
  onTestFinished(() => void socket.destroy());
  socket.write("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  let bytesRead = 0;
  /** Reads this many bytes, or to the end. */
  const read = async (bytes: number) => {
    for (const enough = bytesRead + bytes; bytesRead < enough && !socket.readableEnded; ) {
      const chunk = socket.read() as Buffer | null;
      if (chunk) bytesRead += chunk.length;
      else await Promise.race([once(socket, "readable"), once(socket, "end")]);
    }
    return bytesRead;
  };
  return { socket, read };
}

test("a client that does not read its response is closed, even if it sends data; one that reads slowly gets all of it", async () => {
  const large = Buffer.alloc(64 * 1024 ** 2);
  const closed: unknown[] = [];
  const port = await start(({ socket }, response) => {
    const { remotePort } = socket;
    socket.once("close", () => closed.push(remotePort));
    response.end(large);
  });
  const [idle, slow] = [openClient(port), openClient(port)];
  for (let check = 1; check <= 3; check++) {
    // More than the buffers of the operating system hold, so the server has to send more.
    await slow.read(16 * 1024 ** 2);
    idle.socket.write("\r\n");
    vi.advanceTimersByTime(slowReaderCheckMs);
  }
  await expect.poll(() => closed).toEqual([idle.socket.localPort]);
  expect(await slow.read(large.length)).toBeGreaterThan(large.length);
});

test("a client whose response is not ready may wait for any time", async () => {
  const requested = Promise.withResolvers<() => void>();
  const port = await start((_request, response) => requested.resolve(() => response.end("done")));
  const answer = fetch(`http://127.0.0.1:${port}/`);
  const respond = await requested.promise;
  vi.advanceTimersByTime(100 * slowReaderCheckMs);
  respond();
  expect(await (await answer).text()).toBe("done");
});
