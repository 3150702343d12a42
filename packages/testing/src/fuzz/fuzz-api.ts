import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { oddRequests } from "./odd-requests.ts";
import { sendBytes } from "./send-bytes.ts";

type Options = {
  port: number;
  /** Of the API's process, whose memory is looked at. */
  pid: number;
  /** A live key that both the odd requests and the honest ones carry. */
  key: string;
  seed: number;
  requests: number;
  /** How many are under way at once. */
  clients: number;
  tell(done: number): void;
};

/** What was seen. Latencies in milliseconds, memory in bytes. */
export type FuzzReport = {
  seed: number;
  requests: number;
  seconds: number;
  /** How many answers there were of each status; "closed" is a connection that ended without one. */
  answers: Record<string, number>;
  /** Each as the kind of request, its number, and what was wrong. */
  violations: string[];
  honest: { idleP99: number; besideP99: number; failed: number };
  memory: { before: number; after: number };
};

/**
 * Sends requests out of a seed to an API, and honest ones beside them. Wrong is an answer of 500 or more, one without
 * the Error body, and none at all within half a minute.
 */
export async function fuzzApi(options: Options): Promise<FuzzReport> {
  const { pid, seed, requests } = options;
  const report = { answers: {} as Record<string, number>, violations: [] as string[] };
  // The first requests load code and fill caches: what they cost is not what a request costs.
  await run({ ...options, seed: seed - 1, requests: Math.min(500, Math.ceil(requests / 5)) }, report, () => {});
  const idle = await askHonestly(options, idleAsks);
  const before = await restingMemory(pid);
  const started = performance.now();
  const over = new AbortController();
  const beside = askHonestly(options, Number.POSITIVE_INFINITY, over.signal);
  await run(options, report, options.tell);
  const seconds = (performance.now() - started) / 1000;
  over.abort();
  const { latencies, failed } = await beside;
  return {
    seed,
    requests,
    seconds,
    ...report,
    honest: { idleP99: p99(idle.latencies), besideP99: p99(latencies), failed: failed + idle.failed },
    memory: { before, after: await restingMemory(pid, before) },
  };
}

const patienceMs = 30_000;
/** A request that is not all there waits for the rest of it; so long is enough for the answer that it may get at once. */
const givesUpMs = 100;
const idleAsks = 300;
const batch = 250;

async function run(
  { port, key, seed, requests, clients }: Options,
  { answers, violations }: Pick<FuzzReport, "answers" | "violations">,
  tell: (done: number) => void,
): Promise<void> {
  for (let done = 0; done < requests; done += batch) {
    const made = oddRequests(key, seed + done, Math.min(batch, requests - done)).entries();
    const client = async () => {
      for (const [index, { kind, bytes, whole }] of made) {
        const answer = await sendBytes(port, bytes, { patienceMs, givesUpMs: whole ? patienceMs : givesUpMs });
        const name = answer.status === null ? answer.ended : String(answer.status);
        answers[name] = (answers[name] ?? 0) + 1;
        const wrong = faultOf(answer, bytes);
        if (wrong) violations.push(`${kind}, number ${done + index}: ${wrong}`);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    tell(Math.min(done + batch, requests));
  }
}

function faultOf(answer: Awaited<ReturnType<typeof sendBytes>>, sent: Buffer): string | undefined {
  if (answer.status === null) return answer.ended === "late" ? "no answer in time" : undefined;
  const { status, text } = answer;
  if (status >= 500) return `${status}: ${text.slice(-300)}`;
  const hasBody = !sent.subarray(0, 5).equals(Buffer.from("HEAD ")) && status >= 400;
  if (hasBody && !/"error":\{"(code|message)":/.test(text))
    return `${status} without an Error body: ${text.slice(0, 600)}`;
  return undefined;
}

async function askHonestly({ port, key }: Options, most: number, over?: AbortSignal) {
  const latencies: number[] = [];
  let failed = 0;
  for (let asked = 0; asked < most && !over?.aborted; asked++) {
    const started = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    await answer.text();
    if (!answer.ok) failed += 1;
    latencies.push(performance.now() - started);
    await sleep(10);
  }
  return { latencies, failed };
}

function p99(latencies: number[]): number {
  return latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0;
}

/** Memory once it no longer falls, or is within a tenth of what it was. */
async function restingMemory(pid: number, before = 0): Promise<number> {
  let least = memoryOf(pid);
  for (let look = 0; look < 40 && least > before * 1.1; look++) {
    await sleep(250);
    const now = memoryOf(pid);
    if (before === 0 && look > 8 && now >= least) break;
    least = Math.min(least, now);
  }
  return least;
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
