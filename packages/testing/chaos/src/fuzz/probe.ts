import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, Worker, workerData } from "node:worker_threads";

/** A client that requests its account again and again, one request after the other. */
export type Probe = AsyncDisposable & {
  /** Returns the latencies since the last call, in milliseconds, and the number of failed requests. */
  take(): { latencies: number[]; failed: number };
};

type Options = { port: number; key: string };
type Result = { ms: number; ok: boolean };

/** Starts a probe in a thread, so that the generation of the other requests does not delay the measurement. */
export function startProbe(probe: Options): Probe {
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

const pauseMs = 10;
const { probe } = (workerData ?? {}) as { probe?: Options };
if (probe) await probeForever(probe);

async function probeForever({ port, key }: Options): Promise<void> {
  for (;;) {
    const started = performance.now();
    const ok = await ask(port, key).catch(() => false);
    parentPort?.postMessage({ ms: performance.now() - started, ok } satisfies Result);
    await sleep(pauseMs);
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
