import { Worker } from "node:worker_threads";
import type { HonestCall, HonestCaller } from "./honest-thread.ts";

/** Somebody who asks for their account again and again, one request after the other, as long as this is open. */
export type Honest = AsyncDisposable & {
  /** The latencies since the last taking, in milliseconds, and how many requests failed. */
  take(): { latencies: number[]; failed: number };
};

/** Opens an honest caller, in a thread of its own. */
export function openHonestCaller(caller: HonestCaller): Honest {
  let calls: HonestCall[] = [];
  const thread = new Worker(new URL("./honest-thread.ts", import.meta.url), { workerData: caller });
  thread.on("message", (call: HonestCall) => void calls.push(call));
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
