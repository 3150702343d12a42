import { once } from "node:events";
import { connect } from "node:net";

/** A connection to a server on this machine, for tests to send on what no client would. */
export async function openRawConnection(port: number) {
  const socket = connect(port, "127.0.0.1");
  let said = "";
  let failure: string | undefined;
  socket.on("data", (bytes) => {
    said += bytes.toString("latin1");
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code;
  });
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  await once(socket, "connect");
  return {
    send: (text: string | Uint8Array) => void socket.write(text),
    /** Says that nothing more comes, and goes on listening. */
    end: () => void socket.end(),
    /** Breaks the connection. */
    reset: () => void socket.resetAndDestroy(),
    /** What has been answered so far. */
    said: () => said,
    /** The code of the error that it ended with, if any. */
    failure: () => failure,
    isOpen: () => !socket.closed && !socket.readableEnded,
    closed,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
