import { setTimeout as sleep } from "node:timers/promises";
import { openHonestCaller } from "./honest-caller.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { oddRequests } from "./odd-requests.ts";
import { restingDescriptors, restingMemory } from "./process-rest.ts";
import { sendBytes } from "./send-bytes.ts";

type Options = {
  port: number;
  /** Of the API's process, whose memory and descriptors are looked at. */
  pid: number;
  /** Settle when a process of the service ends, with how it ended. */
  endings: readonly Promise<string>[];
  /** A live key that both the odd requests and the honest ones carry. */
  key: string;
  seed: number;
  requests: number;
  /** How many are under way at once. */
  clients: number;
  /** Memory, and descriptors, that have not fallen for so long are at rest, in milliseconds. */
  restMs: number;
  tell(done: number, faults: number): void;
};

/** What was seen. Latencies in milliseconds, memory in bytes. */
export type FuzzReport = {
  seed: number;
  requests: number;
  seconds: number;
  /** How many requests there were of each kind. */
  kinds: Record<string, number>;
  /** How many answers there were of each status; "closed" is a connection that ended without one. */
  answers: Record<string, number>;
  /** Each as the kind of request, its number, and what was wrong. */
  violations: string[];
  /** How processes of the service ended that should have gone on. */
  ended: string[];
  honest: { idleP99: number; besideP99: number; failed: number };
  memory: { before: number; after: number };
  /** How many descriptors the API held open at rest. */
  descriptors: { before: number; after: number };
};

/** Sends requests out of a seed to an API, and honest ones beside them, and tells what came of it. */
export async function fuzzApi(options: Options): Promise<FuzzReport> {
  const { pid, port, key, seed, requests } = options;
  const seen: Seen = { kinds: {}, answers: {}, violations: [], ended: [] };
  for (const ending of options.endings) void ending.then((how) => void seen.ended.push(how));
  // The first requests load code and fill caches: what they cost is not what a request costs.
  const warmUp = {
    ...options,
    seed: seed + requests,
    requests: Math.min(500, Math.ceil(requests / 5)),
    tell: () => {},
  };
  await run(warmUp, { ...seen, kinds: {}, answers: {} });
  const memoryBefore = await restingMemory(pid, options.restMs);
  const descriptorsBefore = await restingDescriptors(pid, 0);
  await using honest = openHonestCaller({ port, key });
  await sleep(settleMs);
  honest.take();
  await sleep(Math.min(longestIdleMs, requests * 3));
  const idle = honest.take();
  const started = performance.now();
  await run(options, seen);
  const seconds = (performance.now() - started) / 1000;
  const beside = honest.take();
  await honest[Symbol.asyncDispose]();
  return {
    // Whoever asked ends the processes afterwards.
    ...{ seed, requests, seconds, ...seen, ended: [...seen.ended] },
    honest: {
      idleP99: p99(idle.latencies),
      besideP99: p99(beside.latencies),
      failed: idle.failed + beside.failed,
    },
    memory: { before: memoryBefore, after: await restingMemory(pid, options.restMs, memoryBefore) },
    descriptors: { before: descriptorsBefore, after: await restingDescriptors(pid, options.restMs, descriptorsBefore) },
  };
}

type Seen = Pick<FuzzReport, "kinds" | "answers" | "violations" | "ended">;

const patienceMs = 30_000;
/** A request that is not all there waits for the rest of it; so long is enough for the answer that it may get at once. */
const givesUpMs = 100;
const settleMs = 1000;
const longestIdleMs = 15_000;
const batch = 250;

/** Sends them all, unless the service ends. */
async function run({ port, key, seed, requests, clients, tell }: Options, seen: Seen): Promise<void> {
  for (let done = 0; done < requests && seen.ended.length === 0; done += batch) {
    const made = oddRequests(key, seed + done, Math.min(batch, requests - done)).entries();
    const client = async () => {
      for (const [index, { kind, bytes, whole, unread, pauseAfter }] of made) {
        const patience = { patienceMs, givesUpMs: whole ? patienceMs : givesUpMs, unread, pauseAfter };
        const { name, fault } = judgeAnswer(await sendBytes(port, bytes, patience), bytes, whole);
        seen.kinds[kind] = (seen.kinds[kind] ?? 0) + 1;
        seen.answers[name] = (seen.answers[name] ?? 0) + 1;
        if (fault !== undefined) seen.violations.push(`${kind}, number ${done + index}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    tell(Math.min(done + batch, requests), seen.violations.length);
  }
}

function p99(latencies: number[]): number {
  return latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}
