import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type Latencies, summary } from "../latencies.ts";

/** The times of `GET /v1/me` in milliseconds, and their number. */
export type Bystander = Latencies & { count: number };

// This file is the entry point of a thread, so that the load of the benchmark does not delay its measurements.
const { baseUrl, apiKey } = workerData as { baseUrl: string; apiKey: string };
const times: number[] = [];
let stopped = false;
parentPort?.once("message", () => {
  stopped = true;
});
while (!stopped) {
  const startedAt = performance.now();
  const response = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.text();
  if (response.status !== 200) throw new Error(`GET /v1/me answers ${response.status}.`);
  times.push(performance.now() - startedAt);
  await sleep(20);
}
parentPort?.postMessage({ ...summary(times), count: times.length } satisfies Bystander);
