import type { Call } from "../load/call.ts";
import type { Evidence, Violation } from "./evidence.ts";

// What may be told of a sound request while the service suffers. A copy that the analysis service says it cannot read is
// a video that cannot be read, as far as anybody can know.
const noBlame = new Set([
  "out_of_minutes",
  "too_many_jobs",
  "extraction_failed",
  "media_unreadable",
  "provider_unavailable",
  "internal_error",
]);

/** Nobody is told that a request was wrong which was sound: all are, but for URLs that lead nowhere or break off. */
export function auditBlame({ calls }: Evidence): Violation[] {
  return calls.flatMap((call) =>
    call.attempts.flatMap(({ outcome }): Violation[] => {
      if (outcome.is !== "answered" || outcome.code === undefined || noBlame.has(outcome.code)) return [];
      if (outcome.code === "video_unreachable" && !isSound(call)) return [];
      return [{ rule: "errors are true", what: `the sound request of "${call.marker}" was told ${outcome.code}` }];
    }),
  );
}

function isSound({ door, urlPath, video }: Call): boolean {
  return door === "upload" || [`/${video.name}`, `/slow/${video.name}`].includes(urlPath);
}
