import { connect } from "node:net";

/** What came back: the status and all of it as text, or how the connection ended without an answer. */
export type RawAnswer = { status: number; text: string } | { status: null; ended: "closed" | "late" };

type Patience = { givesUpMs: number; patienceMs: number; unread: boolean; pauseAfter: number };

const lastChunk = Buffer.from("0\r\n\r\n");
const longestAnswer = 2_000_000;
const pauseMs = 2;

/**
 * Sends bytes as they are on a connection of their own, with a pause after the first `pauseAfter`, and reads until the
 * other side ends it. When that has not happened after `givesUpMs`, this side ends it; after `patienceMs` it is late.
 * With `unread` it takes nothing of what comes back, and cuts the connection when it gives up.
 */
export function sendBytes(
  port: number,
  bytes: Buffer,
  { givesUpMs, patienceMs, unread, pauseAfter }: Patience,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let late = false;
    const socket = connect({ port, host: "127.0.0.1" });
    const timer = setTimeout(() => {
      late = true;
      socket.destroy();
    }, patienceMs);
    const givenUp = setTimeout(() => (unread ? socket.resetAndDestroy() : socket.end()), givesUpMs);
    const read = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= longestAnswer) chunks.push(chunk);
      // A stream of events says that its connection is kept; its last chunk is the end all the same.
      if (chunk.subarray(-5).equals(lastChunk)) socket.end();
    };
    if (!unread) socket.on("data", read);
    // A reset is an end like any other.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      clearTimeout(givenUp);
      clearTimeout(rest);
      const text = Buffer.concat(chunks).toString("utf8");
      // Interim answers come before the one that counts.
      const status = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)]
        .map((found) => Number(found[1]))
        .find((code) => code >= 200);
      resolve(status === undefined || late ? { status: null, ended: late ? "late" : "closed" } : { status, text });
    });
    socket.setNoDelay();
    socket.write(bytes.subarray(0, pauseAfter));
    const rest = setTimeout(() => socket.writable && socket.write(bytes.subarray(pauseAfter)), pauseMs);
  });
}
