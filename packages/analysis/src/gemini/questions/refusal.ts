import { Problem } from "@video-to-json/contract";
import type { ServiceFault } from "../wire/service-fault.ts";

/** What a refusal of a question is about; `unusable` is a fault of the operator's settings or of the service itself. */
export type Refusal = "schema" | "file-gone" | "file-not-ready" | "media" | "too-large" | "unusable";

const accessInfo = /^(API_KEY|CONSUMER|CREDENTIALS|ACCESS_TOKEN|ACCOUNT_STATE|BILLING|SERVICE_DISABLED|USER_PROJECT)/;
const aboutAccess = /API.?key|unregistered callers|location is not supported|billing|suspended|leaked/i;
const aboutForm = /generation_?config|schema/i;
const aboutSettings = /\bmodels?\/|display_?name/i;
const aboutMimeType = /(?<!response_?)mime.?type/i;
const aboutMedia = [
  aboutMimeType,
  /unsupported (input )?(video|audio|file|media|format|container)|codec|corrupt|damaged|unreadable|demux/i,
  /(malformed|invalid) (input )?(video|media|file)\b|\bno (video|frames?)\b/i,
  /\b(read|open|pars|process|extract|load|decod)(e|ing)?\b[^.]{0,40}\b(video|media|file|frames?)\b(?!\.\w)/i,
  /\b(video|media|file|frames?)\b[^.]{0,40}\bbe (read|opened|parsed|processed|extracted|loaded|decoded)\b/i,
];

/** Tells why a question was refused for good. `constrained`: it carried a schema for the answer. */
export function refusalOf(fault: ServiceFault, constrained: boolean): Refusal {
  const { status, message, reason } = fault;
  if (accessInfo.test(fault.errorInfo)) return "unusable";
  // Such a message quotes the caller's property names, so none of its other words can be gone by.
  if (status === 400 && aboutForm.test(message)) return constrained ? "schema" : "unusable";
  if (isAboutAccess(fault)) return "unusable";
  if (status === 403 || status === 404) return namesFile(message) ? "file-gone" : "unusable";
  if (status === 413) return "too-large";
  if (status !== 400) return "unusable";
  if (reason === "FAILED_PRECONDITION" || /not in an ACTIVE state/i.test(message)) {
    return /ACTIVE/.test(message) ? "file-not-ready" : "unusable";
  }
  if (/token count|too many tokens|payload size/i.test(message)) return "too-large";
  const settings = aboutSettings.test(message);
  if (aboutMimeType.test(message) && !settings) return "media";
  // A schema that is too complex is often refused with no more than "invalid argument", as unreadable media are; so
  // what remains is taken for the schema while there is one to leave out.
  if (constrained) return "schema";
  if (settings) return "unusable";
  return isAboutMedia(message) || /^Request contains an invalid argument\.?$/i.test(message) ? "media" : "unusable";
}

/** Whether a refusal is about the key, the account behind it or where it is used from, and says nothing of what was asked. */
export function isAboutAccess({ errorInfo, message }: ServiceFault): boolean {
  return accessInfo.test(errorInfo) || aboutAccess.test(message);
}

/** Words for a video that cannot be read; the mere word "video" stands in many a message about something else. */
function isAboutMedia(message: string): boolean {
  return aboutMedia.some((phrase) => phrase.test(message));
}

function namesFile(message: string): boolean {
  return /\bfile\b|may not exist/i.test(message) && !/\bmodels?\//i.test(message);
}

/** The analysis service cannot be used now; `pauseMs` is when trying again may help. */
export function unavailable(fault: unknown, pauseMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(pauseMs / 1000));
  const message = `The analysis service is temporarily unavailable. Retry in ${seconds} s, then with backoff. Nothing was charged.`;
  return new Problem("provider_unavailable", message, { retryAfterSeconds: seconds, cause: fault });
}

/** The service could not make anything of the video's bytes. */
export function unreadable(fault: unknown): Problem {
  const message = "The video cannot be read by the analysis. Re-encode it (H.264 in MP4 is safe) and send it again.";
  return new Problem("media_unreadable", message, { cause: fault });
}

/** The question is more than any model takes. */
export function tooLarge(fault: unknown): Problem {
  return new Problem(
    "extraction_failed",
    "The video, schema and instructions are together more than can be analysed at once. Shorten the schema or the instructions, or trim the video. Nothing was charged.",
    { details: [": the request is too large to be analysed"], cause: fault },
  );
}
