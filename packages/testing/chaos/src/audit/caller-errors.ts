import { type Answered, type Attempt, type Call, closingCancels, isToRepeat, successOf } from "../load/call.ts";
import type { Violation } from "./evidence.ts";
import type { Facts, KnownJob } from "./facts.ts";
import { parsed } from "./records.ts";

// The errors that a valid request may get during faults. If the provider cannot read its copy, the video counts as
// unreadable.
const noBlame = new Set([
  ...["out_of_minutes", "too_many_jobs", "extraction_failed", "media_unreadable", "provider_unavailable"],
]);

// While the database is unavailable the result of a job is unknown. The message names the job to read.
const namesJob = /"message":"[^"]* Read GET \/v1\/jobs\/[0-9a-f-]{36} before you retry/;

/** Returns whether the job of a call may end with this error. Only URLs that lead nowhere or break off may be blamed. */
export function mayFailWith({ entryPoint, urlPath, video }: Call, code: string): boolean {
  const isSound = entryPoint === "upload" || [`/${video.name}`, `/slow/${video.name}`].includes(urlPath);
  return code === "video_unreachable" ? !isSound : noBlame.has(code);
}

/** Returns whether a client has left that may cancel. Only closing the connection cancels, in the last version of MCP. */
export function mayBeCancelled({ attempts }: Call): boolean {
  return attempts.some(
    ({ outcome, version }) => outcome.is !== "answered" && version !== undefined && closingCancels(version),
  );
}

/** Returns the errors that blame a valid request, name no stored job, or are not the stored ones of their jobs. */
export function errorFaults({ calls, jobs }: Facts): string[] {
  return calls.flatMap((call) =>
    call.attempts.flatMap(({ outcome }) => {
      if (outcome.is !== "answered" || outcome.code === undefined) return [];
      const { code, text, jobId } = outcome;
      const isFair = code === "internal_error" ? namesJob.test(text) : mayFailWith(call, code);
      const stored = jobs.get(jobId ?? "");
      // An API that does not know whether a job started, or cannot read it, reports that.
      const isUnknown = code === "internal_error";
      const isStored = isUnknown || !stored || sameError(outcome, stored);
      return [
        ...(isFair ? [] : [`the valid request "${call.marker}" got ${text.slice(0, 300)}`]),
        ...(isStored ? [] : [`"${call.marker}" got ${code}, and job ${jobId} is stored with ${stored?.errorCode}`]),
        ...(jobId === undefined || stored || isUnknown
          ? []
          : [`"${call.marker}" got job ${jobId}, which does not exist`]),
      ];
    }),
  );
}

function sameError({ code }: Answered, { errorCode, status }: KnownJob): boolean {
  return status !== "failed" || errorCode === code;
}

/**
 * Returns the charges of requests that got an error. Two kinds of clients may have a success that they do not know: one
 * without a response, and one with an Idempotency-Key whose error asks for a retry. A key is charged at most once.
 */
export function chargedErrors({ calls, jobsByMarker }: Facts): Violation[] {
  return calls.flatMap((call): Violation[] => {
    const { marker, attempts, idempotencyKey } = call;
    const succeeded = (jobsByMarker.get(marker) ?? []).filter(({ status }) => status === "succeeded");
    const ids = succeeded.map(({ id }) => id).join(", ");
    if (idempotencyKey !== undefined && succeeded.length > 1)
      return [{ rule: "one job a key", what: `the key of "${marker}" was charged for jobs ${ids}` }];
    const known = new Set(attempts.flatMap((attempt) => idIn(successOf(attempt)) ?? []));
    const unknown = succeeded.filter(({ id }) => !known.has(id));
    const unanswered = attempts.filter(({ outcome }) => outcome.is !== "answered").length;
    const isFair =
      idempotencyKey === undefined
        ? unknown.length <= unanswered
        : unknown.length === 0 || attempts.some((attempt) => isOpen(attempt));
    if (isFair) return [];
    const errors = attempts.flatMap(({ outcome }) => (outcome.is === "answered" ? (outcome.code ?? []) : []));
    return [{ rule: "errors cost nothing", what: `"${marker}" got [${errors}] and was charged for job ${ids}` }];
  });
}

/** Returns whether a client with an Idempotency-Key sends the request again after this attempt. */
function isOpen({ outcome }: Attempt): boolean {
  return outcome.is !== "answered" || isToRepeat(outcome);
}

function idIn(success: Answered | undefined): string | undefined {
  return success && ((parsed(success.text) ?? {}) as { id?: string }).id;
}
