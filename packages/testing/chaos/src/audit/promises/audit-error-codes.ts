import type { Answered, Call } from "../../load/call.ts";
import { closingCancels } from "../../load/mcp-message.ts";
import type { Evidence, Violation } from "../evidence.ts";

// The errors that a valid request may get during faults. If the provider cannot read its copy, the video counts as
// unreadable.
const noBlame = new Set([
  "out_of_minutes",
  "too_many_jobs",
  "extraction_failed",
  "media_unreadable",
  "provider_unavailable",
]);

// While the database is unavailable the result of a job is unknown. The message names the job to read.
const namesJob = /"message":"[^"]* Read GET \/v1\/jobs\/[0-9a-f-]{36} before you retry/;

/**
 * Checks that no valid request got an error that blames it. All requests are valid, except those with a URL that leads
 * nowhere or breaks off. Checks also that no job ended with an internal error.
 */
export function auditErrorCodes({ calls, records }: Pick<Evidence, "calls" | "records">): Violation[] {
  const blamed = calls.flatMap((call) =>
    call.attempts.flatMap(({ outcome }) => {
      if (outcome.is !== "answered" || outcome.code === undefined || mayBeTold(call, outcome)) return [];
      return [`the valid request "${call.marker}" got ${outcome.text.slice(0, 300)}`];
    }),
  );
  const jobs = new Map(records.jobs.map((job) => [job.id, job]));
  const contradicted = calls.flatMap((call) =>
    call.attempts.flatMap(({ outcome }) => {
      if (outcome.is !== "answered" || outcome.code === undefined) return [];
      const job = jobs.get(outcome.jobId ?? "");
      // An API that cannot read the job reports that.
      if (!job?.errorCode || outcome.code === "internal_error" || outcome.code === job.errorCode) return [];
      return [`"${call.marker}" got ${outcome.code}, and job ${job.id} is stored with ${job.errorCode}`];
    }),
  );
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  const cancelled = records.jobs.flatMap(({ id, marker, errorCode }) =>
    errorCode !== "invalid_request" || mayBeCancelled(callsByMarker.get(marker))
      ? []
      : [`job ${id} of "${marker}" was cancelled, and no caller who may cancel it left`],
  );
  const failed = records.jobs.filter(({ errorCode }) => errorCode === "internal_error");
  return [
    ...blamed,
    ...contradicted,
    ...cancelled,
    ...failed.map(({ id, marker }) => `job ${id} of "${marker}" ended as internal_error`),
  ].map((what): Violation => ({ rule: "errors are true", what }));
}

/** Only closing the connection cancels, and only in the last version of MCP. */
function mayBeCancelled(call: Call | undefined): boolean {
  return (
    call?.attempts.some(({ outcome, version }) => outcome.is !== "answered" && version && closingCancels(version)) ??
    false
  );
}

function mayBeTold(call: Call, { code = "", text }: Answered): boolean {
  if (code === "video_unreachable") return !isSound(call);
  return code === "internal_error" ? namesJob.test(text) : noBlame.has(code);
}

function isSound({ entryPoint, urlPath, video }: Call): boolean {
  return entryPoint === "upload" || [`/${video.name}`, `/slow/${video.name}`].includes(urlPath);
}
