import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, workerData } from "node:worker_threads";

/** What this thread is told when it starts. */
export type HonestCaller = { port: number; key: string };

/** What it tells of each request: how long it took, in milliseconds, and whether it was answered as it should be. */
export type HonestCall = { ms: number; ok: boolean };

const pauseMs = 10;

// In a thread of its own: what making and sending odd requests costs is not to be taken for the service's slowness.
if (!isMainThread) await askOn(workerData as HonestCaller);

async function askOn({ port, key }: HonestCaller): Promise<void> {
  for (;;) {
    const started = performance.now();
    const ok = await ask(port, key).catch(() => false);
    parentPort?.postMessage({ ms: performance.now() - started, ok } satisfies HonestCall);
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
