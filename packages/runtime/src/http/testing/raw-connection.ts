import { once } from "node:events";
import { connect } from "node:net";

/** Opens a TCP connection to a server on this machine. Tests use it to send bytes that no HTTP client would send. */
export async function openRawConnection(port: number) {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let failure: string | undefined;
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code;
  });
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  await once(socket, "connect");
  return {
    localPort: socket.localPort ?? 0,
    send: (text: string | Uint8Array) => void socket.write(text),
    /** Ends our side of the connection and continues reading. */
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    /** What the server has sent so far. */
    received: () => received,
    /** The code of the error that ended the connection, if any. */
    failure: () => failure,
    isOpen: () => !socket.closed && !socket.readableEnded,
    closed,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
