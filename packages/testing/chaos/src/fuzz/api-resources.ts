import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The resident memory of a process in bytes, and the number of its open descriptors. */
type Resources = { memory: number; descriptors: number };

function resourcesOf(pid: number): Resources {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return { memory: Number(kilobytes) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return { memory: Number.NaN, descriptors: Number.NaN };
  }
}

const maxMs = 60_000;

/**
 * Waits until the resources of a process have not decreased for `stillMs`, or both have reached `enough`, or one minute
 * is over. Returns the smallest values. NaN when there is no such process, or no /proc.
 */
export async function idle(pid: number, stillMs: number, enough = { memory: 0, descriptors: 0 }): Promise<Resources> {
  let lowest = resourcesOf(pid);
  const isMore = () => lowest.memory > enough.memory || lowest.descriptors > enough.descriptors;
  const end = performance.now() + maxMs;
  for (let fell = performance.now(); performance.now() < Math.min(end, fell + stillMs) && isMore(); ) {
    await sleep(250);
    const now = resourcesOf(pid);
    // Some pages are always allocated and freed.
    if (now.memory < 0.99 * lowest.memory || now.descriptors < lowest.descriptors) fell = performance.now();
    const smaller = (what: keyof Resources) => Math.min(lowest[what], now[what]);
    lowest = { memory: smaller("memory"), descriptors: smaller("descriptors") };
  }
  return lowest;
}

/** The response: its status and text, or how the connection ended without a response. */
export type RawAnswer = { status: number; text: string } | { status: null; ended: "closed" | "late" };

type Options = { closeAfterMs: number; timeoutMs: number; unread: boolean; pauseAfter: number };

const lastChunk = Buffer.from("0\r\n\r\n");
const maxAnswerBytes = 2_000_000;
const pauseMs = 2;

/**
 * Sends raw bytes on a new connection, with a pause after the first `pauseAfter`, and reads until the server closes it.
 * Closes the connection after `closeAfterMs`. After `timeoutMs`, the response counts as late. With `unread`, it reads
 * nothing and resets the connection instead of closing it.
 */
export function sendBytes(
  port: number,
  bytes: Buffer,
  { closeAfterMs, timeoutMs, unread, pauseAfter }: Options,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let late = false;
    const socket = connect({ port, host: "127.0.0.1" });
    const timer = setTimeout(() => {
      late = true;
      socket.destroy();
    }, timeoutMs);
    const closing = setTimeout(() => (unread ? socket.resetAndDestroy() : socket.end()), closeAfterMs);
    const read = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxAnswerBytes) chunks.push(chunk);
      // An event stream keeps its connection open, but its last chunk is the end of the response.
      if (chunk.subarray(-5).equals(lastChunk)) socket.end();
    };
    if (!unread) socket.on("data", read);
    // A reset also ends the connection; "close" follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      clearTimeout(closing);
      clearTimeout(rest);
      const text = Buffer.concat(chunks).toString("utf8");
      // Interim responses (1xx) come before the final one.
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
