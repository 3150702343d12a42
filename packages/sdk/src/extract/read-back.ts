import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import { problemStatuses } from "../generated/problem-statuses.gen.ts";
import { checkResponse } from "../http/check-response.ts";
import type { Connection } from "../http/connection.ts";
import { longestSilenceMs } from "../http/long-timeout-fetch.ts";
import { sendRead } from "../http/request.ts";
import { backoffMs, isTransient, sleep } from "../http/retry.ts";
import type { HttpResponse } from "../http/send.ts";
import type { JobRecord } from "../shapes.ts";

type LostAnswer = {
  jobId: string;
  /** The error with which the answer was lost. It may be the failure of the job. */
  reason: unknown;
  /** When the client stops to wait, by this machine's clock, unless the service says that the job is open. */
  until: number;
  signal: AbortSignal;
};

/**
 * Reads the answer of an admitted job whose connection broke, without sending the video again. Asks until the job has
 * ended: after half a second, then every few seconds. The service ends every job at its time limit. Returns the response
 * that was lost. Throws the job's error, `reason` when the service says nothing for too long, and lasting errors at once.
 */
export async function readBack(connection: Connection, lost: LostAnswer): Promise<HttpResponse> {
  const { jobId } = lost;
  connection.log({
    level: "warn",
    message: "The connection broke. The client reads the answer with the id of its job.",
    jobId,
    error: lost.reason,
  });
  let until = lost.until;
  for (let tries = 1; ; tries += 1) {
    await sleep(backoffMs(tries), lost.signal);
    const found = await readJob(connection, lost);
    if (found?.record.status === "succeeded") return answerOf(found.response, jobId);
    if (found?.record.status === "failed") throw failureOf(found.record, found.response, lost.reason);
    if (found) until = Date.now() + longestSilenceMs;
    if (Date.now() > until) throw lost.reason;
  }
}

/** After a transient error, waits as long as the error asks for and returns undefined. */
async function readJob(connection: Connection, { jobId, signal }: LostAnswer) {
  const outgoing = { method: "GET", path: `/v1/jobs/${encodeURIComponent(jobId)}` } as const;
  try {
    const response = await sendRead(connection, outgoing, { signal, timeout: connection.timeout });
    return { record: checkResponse<JobRecord>(connection, response, "id", "status"), response };
  } catch (error) {
    if (signal.aborted || !isTransient(error)) throw error;
    await sleep(1000 * (error.retryAfterSeconds ?? 0), signal);
    return undefined;
  }
}

/** Returns the response to the extraction, from the response with its job's record. */
function answerOf(response: HttpResponse, jobId: string): HttpResponse {
  const members = memberTexts(response.text);
  const names = ["id", "data", "video", "billed_seconds"];
  const text = `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name) ?? "null"}`).join(",")}}`;
  const headers = new Headers(response.headers);
  headers.set("job-id", jobId);
  return { ...response, headers, text };
}

/** Prefers the error that the client has already received, because it says more: it may have `Retry-After`. */
function failureOf({ id, error }: JobRecord, { headers }: HttpResponse, reason: unknown): unknown {
  if (reason instanceof VideoToJsonError && reason.code === error?.code) return reason;
  const inside = error ?? { code: "internal_error", message: "The job failed." };
  return new VideoToJsonError(inside, {
    status: problemStatuses[inside.code] ?? 500,
    requestId: headers.get("x-request-id") ?? undefined,
    jobId: id,
    retryAfterSeconds: undefined,
  });
}

/**
 * Returns the members of a JSON object by name, as text: with the key order and number literals that `JSON.parse`
 * loses. `json` must be the text of an object.
 */
export function memberTexts(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let inString = false;
  let name: string | undefined;
  let start = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    const endsMember = depth === 1 && (character === "," || character === "}");
    if (endsMember && name !== undefined) members.set(name, json.slice(start, at).trim());
    if (character === "{" || character === "[") depth += 1;
    if (character === "}" || character === "]") depth -= 1;
    if (depth !== 1) continue;
    if (endsMember || (character === "{" && name === undefined)) {
      name = undefined;
      start = at + 1;
    } else if (character === ":" && name === undefined) {
      name = JSON.parse(json.slice(start, at)) as string;
      start = at + 1;
    }
  }
  return members;
}
