import { setTimeout as sleep } from "node:timers/promises";
import type { Stack, StackPart } from "@video-to-json/stack";
import { idle, type RawAnswer, sendBytes, startProbe } from "./api-resources.ts";
import { fuzzRequests } from "./requests.ts";

type Options = {
  /** The service, whose first process is the API. */
  service: Pick<Stack, "baseUrl" | "apiKey"> & { parts: readonly Pick<StackPart, "name" | "pid" | "ended">[] };
  seed: number;
  requests: number;
  clients: number;
  /** The API is idle when its memory, or descriptors, have not decreased for this time, in milliseconds. */
  restMs: number;
  onProgress(done: number, failures: number): void;
};

/** Sends generated requests to an API, and valid probe requests beside them. Returns the measurements. */
export async function fuzzApi(options: Options) {
  const { service, seed, requests } = options;
  const { baseUrl, apiKey: key, parts } = service;
  const port = Number(new URL(baseUrl).port);
  const pid = parts[0]?.pid ?? Number.NaN;
  const seen: Seen = { kinds: {}, answers: {}, violations: [], ended: [] };
  for (const { name, ended } of parts) void ended.then((how) => void seen.ended.push(`${name}: ${how}`));
  // The first requests load code and fill caches, so they are not measured.
  const warmUp = { seed: seed + requests, requests: Math.min(500, Math.ceil(requests / 5)), onProgress: () => {} };
  await run({ ...options, ...warmUp }, { ...seen, kinds: {}, answers: {} });
  const before = await idle(pid, options.restMs);
  await using probe = startProbe({ port, key });
  await sleep(settleMs);
  probe.take();
  await sleep(Math.min(maxIdleMs, requests * 3));
  const quiet = probe.take();
  const started = performance.now();
  await run(options, seen);
  const seconds = (performance.now() - started) / 1000;
  const loaded = probe.take();
  await probe[Symbol.asyncDispose]();
  const after = await idle(pid, options.restMs, before);
  return {
    // A copy: the caller stops the processes afterwards.
    ...{ seed, requests, seconds, ...seen, ended: [...seen.ended] },
    probes: { idleP99: p99(quiet.latencies), loadedP99: p99(loaded.latencies), failed: quiet.failed + loaded.failed },
    ...{ before, after },
  };
}

export type FuzzReport = Awaited<ReturnType<typeof fuzzApi>>;

type Seen = {
  /** The number of requests of each kind, and of responses with each status. */
  kinds: Record<string, number>;
  answers: Record<string, number>;
  /** One line for each: the kind of request, its number, and the failure. */
  violations: string[];
  /** How processes of the service ended during the run. */
  ended: string[];
};

const timeoutMs = 30_000;
// The API waits for the rest of an incomplete request, or responds to it at once, which takes less than this.
const incompleteTimeoutMs = 100;
const settleMs = 1000;
const maxIdleMs = 15_000;
const batch = 250;

/** Sends all requests. Stops when a process of the service ends. */
async function run({ service, seed, requests, clients, onProgress }: Options, seen: Seen): Promise<void> {
  const port = Number(new URL(service.baseUrl).port);
  for (let done = 0; done < requests && seen.ended.length === 0; done += batch) {
    const made = fuzzRequests(service.apiKey, seed + done, Math.min(batch, requests - done)).entries();
    const client = async () => {
      for (const [index, { kind, bytes, whole, unread, pauseAfter }] of made) {
        const options = { timeoutMs, closeAfterMs: whole ? timeoutMs : incompleteTimeoutMs, unread, pauseAfter };
        const { name, fault } = checkAnswer(await sendBytes(port, bytes, options), bytes, whole);
        seen.kinds[kind] = (seen.kinds[kind] ?? 0) + 1;
        seen.answers[name] = (seen.answers[name] ?? 0) + 1;
        if (fault !== undefined) seen.violations.push(`${kind}, number ${done + index}: ${fault}`);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    onProgress(Math.min(done + batch, requests), seen.violations.length);
  }
}

function p99(latencies: number[]): number {
  return latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}

/** Returns the failures in a report, one line for each. */
export function findFailures({ violations, ended, probes, before, after }: FuzzReport): string[] {
  const isQuick = probes.loadedP99 < maxSlowdown * probes.idleP99;
  const isFreed = after.memory <= maxMemoryGrowth * before.memory;
  const isClosed = after.descriptors <= before.descriptors + maxDescriptors;
  const growth = Math.round((maxMemoryGrowth - 1) * 100);
  return [
    ...violations,
    ...ended.map((how) => `a process ended: ${how}`),
    ...(probes.failed > 0 ? [`${probes.failed} probe requests failed`] : []),
    ...(isQuick ? [] : [`probe requests took ${maxSlowdown} times as long as on an idle service, or longer`]),
    ...(isFreed ? [] : [`memory stayed more than ${growth} % above the start`]),
    ...(isClosed ? [] : [`${after.descriptors} descriptors stayed open, ${before.descriptors} at the start`]),
  ];
}

const maxSlowdown = 3;
const maxMemoryGrowth = 1.2;
/** The API keeps idle connections to the database for a minute. */
const maxDescriptors = 12;

/**
 * Classifies the response to a request. Returns the name under which it is counted and its failure, if any: a status of
 * 500 or more, an internal error under any status, an error without an Error body, or no response in time. A 503 with
 * `provider_unavailable` and `Retry-After`, and a 501 with `invalid_request`, are not failures.
 */
export function checkAnswer(answer: RawAnswer, sent: Buffer, whole: boolean): { name: string; fault?: string } {
  if (answer.status === null) {
    if (answer.ended === "late") return { name: "late", fault: "no answer in time" };
    return { name: "closed", ...(whole && { fault: "the connection was closed without an answer" }) };
  }
  const { status, text } = answer;
  const unquoted = text.replaceAll("\\", "");
  // A connection that stays open may have several responses.
  const failed = text.split(/^(?=HTTP\/1\.1 \d{3} )/m).filter((one) => one.startsWith("HTTP/1.1 5"));
  const nameOf = (one: string) => documented.find(({ pattern }) => pattern.test(one))?.name;
  const wrong = failed.find((one) => nameOf(one) === undefined);
  if (wrong !== undefined) return { name: wrong.slice(9, 12), fault: `${wrong.slice(9, 12)}: ${wrong.slice(-300)}` };
  if (failed[0] !== undefined) return { name: nameOf(failed[0]) ?? "" };
  // Also finds the errors of MCP tools, which have the status 200.
  const [, code] = /"error":\{"code":"(\w+)"/.exec(unquoted) ?? [];
  const name = code === undefined ? String(status) : `${status} ${code}`;
  const said = `${status}: ${text.slice(-300)}`;
  if (/"code":\s*("internal_error"|-32603\b)/.test(unquoted)) return { name, fault: said };
  const hasBody = !/^\s*HEAD\s/.test(sent.toString("latin1", 0, 100));
  const isNamed = status < 400 || /"error":\{"(code|message)":/.test(text);
  return hasBody && !isNamed ? { name, fault: `without an Error body: ${said}` } : { name };
}

const documented = [
  { name: "501 invalid_request", pattern: /^HTTP\/1\.1 501 .*"code":"invalid_request"/s },
  {
    name: "503 provider_unavailable",
    pattern: /^HTTP\/1\.1 503 (?=.*^retry-after: \d+\r$).*"code":"provider_unavailable"/ims,
  },
];
