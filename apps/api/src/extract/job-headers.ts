import { evidencePath } from "@video-to-json/contract";
import type { Response } from "express";
import type { Extraction } from "./admit-and-wait.ts";

/** Returns a function that names the job in the response headers: `Job-Id`, and `Idempotent-Replayed` for a replay. */
export function jobHeaders(response: Response): Extraction["onAdmitted"] {
  return ({ jobId, kind }) => {
    response.set("Job-Id", jobId);
    if (kind === "replayed") response.set("Idempotent-Replayed", "true");
  };
}

/** Names the evidence of the answer in the response headers (docs/decisions/0001, "Evidence"). */
export function linkEvidence(response: Response, jobId: string): void {
  response.append("Link", `<${evidencePath(jobId)}>; rel="describedby"`);
}
