import type { Reading } from "../audit/evidence.ts";
import { jobsIn, type Records } from "../audit/records.ts";
import { type Call, type Outcome, successOf } from "../load/call.ts";
import { send } from "../load/send.ts";

type World = { apiUrls: readonly string[]; filesUrl: string; timeoutMs: number };

const atOnce = 8;

/**
 * Reads each job whose client got no response: by its id and, when the job succeeded, by the Idempotency-Key of the
 * client.
 */
export async function rereadJobs(world: World, calls: readonly Call[], records: Records): Promise<Reading[]> {
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  const ofKeys = new Set(records.tables.idempotency_keys?.map(({ job_id }) => job_id));
  const lost = jobsIn(records).flatMap(({ id, marker, status, accountId }) => {
    const call = callsByMarker.get(marker);
    const isKnown = call?.attempts.some((attempt) => successOf(attempt)?.text.includes(id));
    if (!call || isKnown || call.account.id !== accountId) return [];
    const hasKey = status === "succeeded" && call.idempotencyKey !== undefined && ofKeys.has(id);
    const ways = hasKey ? (["id", "key"] as const) : (["id"] as const);
    return ways.map((by) => ({ call, jobId: id, by }));
  });
  const readings: Reading[] = [];
  const left = lost.values();
  const reader = async () => {
    for (const one of left) readings.push(await reread(world, one));
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  return readings;
}

async function reread({ apiUrls, ...sending }: World, lost: Omit<Reading, "attempt">): Promise<Reading> {
  const { call, jobId, by } = lost;
  const apiUrl = apiUrls.at(by === "key" ? 0 : -1) ?? "";
  const startedAt = Date.now();
  const outcome =
    by === "key"
      ? await send(call, { ...sending, apiUrl, drop: undefined, pauseMs: 0 })
      : await readJob(`${apiUrl}/v1/jobs/${jobId}`, call.account.key, sending.timeoutMs).catch((error): Outcome => {
          return { is: "broken", why: String(error) };
        });
  return { ...lost, attempt: { apiUrl, startedAt, endedAt: Date.now(), outcome } };
}

async function readJob(url: string, key: string, timeoutMs: number): Promise<Outcome> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  const code = response.ok ? undefined : text.slice(0, 200);
  return { is: "answered", status: response.status, text, code, jobId: url.split("/").at(-1), replayed: false };
}
