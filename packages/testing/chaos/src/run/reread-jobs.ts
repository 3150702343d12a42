import type { Reading } from "../audit/evidence.ts";
import { jobsIn, type Records } from "../audit/records.ts";
import { type Call, successOf } from "../load/call.ts";
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
    const known = call?.attempts.some((attempt) => successOf(attempt)?.text.includes(id));
    return call && !known && call.account.id === accountId ? [{ id, call, status }] : [];
  });
  const paid = lost.filter(({ id, call, status }) => status === "succeeded" && call.idempotencyKey && ofKeys.has(id));
  const readings: Reading[] = [];
  const reads = [
    ...lost.map((job) => ({ read: byId, ...job })),
    ...paid.map((job) => ({ read: byKey, ...job })),
  ].values();
  const reader = async () => {
    for (const { read, id, call } of reads) readings.push(await read(world, id, call));
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
  return readings;
}

async function byKey({ apiUrls, ...sending }: World, jobId: string, call: Call): Promise<Reading> {
  const apiUrl = apiUrls[0] ?? "";
  const startedAt = Date.now();
  const outcome = await send(call, { ...sending, apiUrl, drop: undefined, pauseMs: 0 });
  return { call, jobId, by: "key", attempt: { apiUrl, startedAt, endedAt: Date.now(), outcome } };
}

async function byId({ apiUrls, timeoutMs }: World, jobId: string, call: Call): Promise<Reading> {
  const apiUrl = apiUrls.at(-1) ?? "";
  const startedAt = Date.now();
  const reading = (outcome: Reading["attempt"]["outcome"]): Reading => ({
    call,
    jobId,
    by: "id",
    attempt: { apiUrl, startedAt, endedAt: Date.now(), outcome },
  });
  try {
    const headers = { authorization: `Bearer ${call.account.key}` };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${apiUrl}/v1/jobs/${jobId}`, { headers, signal });
    const text = await response.text();
    const code = response.ok ? undefined : text.slice(0, 200);
    return reading({ is: "answered", status: response.status, text, code, jobId, replayed: false });
  } catch (error) {
    return reading({ is: "broken", why: String(error) });
  }
}
