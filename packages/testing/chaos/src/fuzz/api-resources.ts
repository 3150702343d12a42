import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, Worker, workerData } from "node:worker_threads";

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

/** Waits until the resources stop falling for `stillMs` or reach `enough`, a minute at most. NaN without /proc. */
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

/** A client that requests its account again and again, one request after the other. */
export type Probe = AsyncDisposable & {
  /** Returns the latencies since the last call, in milliseconds, and the number of failed requests. */
  take(): { latencies: number[]; failed: number };
};

type ProbeOptions = { port: number; key: string };
type Result = { ms: number; ok: boolean };

/** Starts a probe in a thread, so that the generation of the other requests does not delay the measurement. */
export function startProbe(probe: ProbeOptions): Probe {
  let calls: Result[] = [];
  const thread = new Worker(new URL(import.meta.url), { workerData: { probe } });
  thread.on("message", (call: Result) => void calls.push(call));
  return {
    take() {
      const taken = calls;
      calls = [];
      return { latencies: taken.map(({ ms }) => ms), failed: taken.filter(({ ok }) => !ok).length };
    },
    async [Symbol.asyncDispose]() {
      await thread.terminate();
    },
  };
}

const probePauseMs = 10;
const { probe } = (workerData ?? {}) as { probe?: ProbeOptions };
if (probe) await probeForever(probe);

async function probeForever({ port, key }: ProbeOptions): Promise<void> {
  for (;;) {
    const started = performance.now();
    const ok = await ask(port, key).catch(() => false);
    parentPort?.postMessage({ ms: performance.now() - started, ok } satisfies Result);
    await sleep(probePauseMs);
  }
}

async function ask(port: number, key: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/me`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(30_000),
  });
  const account = (await answer.json()) as { seconds_remaining?: unknown };
  return answer.status === 200 && Number.isInteger(account.seconds_remaining);
}
