import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, workerData } from "node:worker_threads";

/** The data that the thread gets when it starts. */
export type ProbeOptions = { port: number; key: string };

/** The message that the thread posts for each request: the latency, and whether the response was correct. */
export type ProbeResult = { ms: number; ok: boolean };

const pauseMs = 10;

// In a thread, so that generating the other requests does not delay the measurement.
if (!isMainThread) await probeForever(workerData as ProbeOptions);

async function probeForever({ port, key }: ProbeOptions): Promise<void> {
  for (;;) {
    const started = performance.now();
    const ok = await ask(port, key).catch(() => false);
    parentPort?.postMessage({ ms: performance.now() - started, ok } satisfies ProbeResult);
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
