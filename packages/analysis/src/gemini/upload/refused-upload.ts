import { Problem } from "@video-to-json/contract";
import { refusalOf, unavailable, unreadable } from "../questions/refusal.ts";
import { mayPass, type Patience, type PatientRun } from "../wire/patience.ts";
import type { ServiceFault } from "../wire/service-fault.ts";

const retryLaterMs = 30_000;
const aboutSize =
  /\btoo (large|big)\b|\bsize\b[^.]*\b(exceed|limit|max|larger|greater|at most)|\b(exceed|larger|greater)[^.]*\b(size|bytes)\b/i;
const aboutSpace = /quota|storage|project/i;

/** The Problem with which an upload ends that the service does not take; logged for the operator. */
export function refusedUpload(patience: Patience, run: PatientRun, fault: ServiceFault): Problem {
  const { status, reason, message } = fault;
  patience.log.warn({ jobId: run.jobId, status, reason, fault: message }, "upload refused");
  if (mayPass(fault)) return unavailable(fault, retryLaterMs);
  if (status === 413 || (status === 400 && aboutSize.test(message) && !aboutSpace.test(message)))
    return tooLarge(fault);
  const media = refusalOf(fault, false) === "media" && !/invalid argument/i.test(message);
  return media ? unreadable(fault) : unavailable(fault, retryLaterMs);
}

function tooLarge(cause: ServiceFault): Problem {
  const message =
    "The video is larger than can be analysed. Re-encode it at a lower bitrate and send it again. Nothing was charged.";
  return new Problem("file_too_large", message, { cause });
}
