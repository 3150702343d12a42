import { isEventStream, readEvents } from "../http/event-stream.ts";
import { isObject, parseJson } from "../http/json.ts";
import { type HttpResponse, readWhole } from "../http/send.ts";
import type { JobProgress } from "./progress.ts";

/** Called with the facts about the job that arrive before the answer. */
export type JobListener = (found: { jobId?: string; replayed?: boolean; progress?: JobProgress }) => void;

// The service sends at least a comment every 10 s.
const silenceMs = 45_000;

/**
 * Reads the response to an extraction: a stream of events, or the plain response of a service or a proxy that has none
 * (docs/decisions/0001, "Held calls"). Returns the last event as an ordinary response. Throws when the
 * stream ends without one.
 */
export async function receiveAnswer(response: Response, onJob: JobListener): Promise<HttpResponse> {
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const jobId = headers.get("job-id");
  onJob({ ...(jobId && { jobId }), replayed: headers.get("idempotent-replayed") === "true" });
  if (!isEventStream(headers) || !body) return readWhole(response);
  for await (const { name, data, retryMs } of readEvents(body, { silenceMs })) {
    const json = parseJson(data);
    if (name === "result") return { status, headers, text: data };
    if (!isObject(json)) continue;
    if (name === "error") return failure(headers, json, retryMs);
    if (name === "admitted" && typeof json.id === "string") {
      headers.set("job-id", json.id);
      onJob({ jobId: json.id, replayed: json.replayed === true });
    }
    if (name === "progress") onJob({ progress: json as JobProgress });
  }
  throw new Error("the connection closed before the answer");
}

function failure(
  headers: Headers,
  { status, error }: Record<string, unknown>,
  retryMs: number | undefined,
): HttpResponse {
  if (retryMs !== undefined) headers.set("retry-after", String(Math.ceil(retryMs / 1000)));
  return { status: typeof status === "number" ? status : 500, headers, text: JSON.stringify({ error }) };
}
