import type { Answered, Call } from "../load/call.ts";
import type { Evidence, Violation } from "./evidence.ts";

// What may be told of a sound request while the service suffers. A copy that the analysis service says it cannot read is
// a video that cannot be read, as far as anybody can know.
const noBlame = new Set([
  "out_of_minutes",
  "too_many_jobs",
  "extraction_failed",
  "media_unreadable",
  "provider_unavailable",
]);

// While the database is away nobody knows how a job ended, or whether it began: the caller is told which to read.
const namesJob = /"message":"[^"]* Read GET \/v1\/jobs\/[0-9a-f-]{36} before you retry/;

/**
 * Nobody is told that a request was wrong which was sound: all are, but for URLs that lead nowhere or break off. Nor did
 * the service fail, whatever was done to it.
 */
export function auditBlame({ calls, records }: Pick<Evidence, "calls" | "records">): Violation[] {
  const told = calls.flatMap((call) =>
    call.attempts.flatMap(({ outcome }) => {
      if (outcome.is !== "answered" || outcome.code === undefined || mayBeTold(call, outcome)) return [];
      return [`the sound request of "${call.marker}" was told ${outcome.text.slice(0, 300)}`];
    }),
  );
  const failed = records.jobs.filter(({ errorCode }) => errorCode === "internal_error");
  return [...told, ...failed.map(({ id, marker }) => `job ${id} of "${marker}" ended as internal_error`)].map(
    (what): Violation => ({ rule: "errors are true", what }),
  );
}

function mayBeTold(call: Call, { code = "", text }: Answered): boolean {
  if (code === "video_unreachable") return !isSound(call);
  return code === "internal_error" ? namesJob.test(text) : noBlame.has(code);
}

function isSound({ door, urlPath, video }: Call): boolean {
  return door === "upload" || [`/${video.name}`, `/slow/${video.name}`].includes(urlPath);
}
