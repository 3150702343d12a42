import type { Socket } from "node:net";

/** How often progress is checked. A client that reads nothing loses its connection after one to two intervals. */
export const slowReaderCheckMs = 30_000;

/**
 * Closes a connection whose client has stopped reading while response bytes wait in our memory. A client that reads a
 * little now and then gets the whole response, and a connection whose response is not ready may wait for any time.
 */
export function closeSlowReaders(socket: Socket): void {
  let before: number | undefined;
  const timer = setInterval(() => {
    const now = socket.writableLength > 0 ? bytesTaken(socket) : undefined;
    if (now !== undefined && now === before) socket.destroy();
    before = now;
  }, slowReaderCheckMs);
  timer.unref();
  socket.once("close", () => clearInterval(timer));
}

/**
 * The number of bytes that the operating system has taken. `socket.setTimeout` uses the same numbers, but restarts with
 * every byte that the client sends, and no public property has them: `bytesWritten` counts queued bytes too.
 */
function bytesTaken(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined;
}
