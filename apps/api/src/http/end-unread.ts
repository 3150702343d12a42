import type { Socket } from "node:net";

/** How long what was written waits for a caller who takes nothing of it: so long at least, and twice as long at most. */
export const unreadMs = 30_000;

/**
 * Hangs up on a caller who lets what was written for it lie in our memory. One who takes some of it now and then is
 * served to the end, and one whose answer is not there yet waits as long as it takes.
 */
export function endUnread(socket: Socket): void {
  let before: number | undefined;
  const look = setInterval(() => {
    const taken = socket.writableLength > 0 ? takenOf(socket) : undefined;
    if (taken !== undefined && taken === before) socket.destroy();
    before = taken;
  }, unreadMs);
  look.unref();
  socket.once("close", () => clearInterval(look));
}

/**
 * How many bytes the operating system has taken. Node's own timeout goes by these figures, which it tells nowhere else,
 * but starts anew with every byte that the caller sends.
 */
function takenOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined;
}
