import { Worker } from "node:worker_threads";
import type { ProbeOptions, ProbeResult } from "./probe-thread.ts";

/** A client that requests its account again and again, one request after the other. */
export type Probe = AsyncDisposable & {
  /** Returns the latencies since the last call, in milliseconds, and the number of failed requests. */
  take(): { latencies: number[]; failed: number };
};

/** Starts a probe in a thread. */
export function startProbe(options: ProbeOptions): Probe {
  let calls: ProbeResult[] = [];
  const thread = new Worker(new URL("./probe-thread.ts", import.meta.url), { workerData: options });
  thread.on("message", (call: ProbeResult) => void calls.push(call));
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
