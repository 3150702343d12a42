import {
  evidencePath,
  jobRecordMembers,
  jsonObjectText,
  maxEvidenceBytes,
  type SecondLookCounts,
  secondLookResultHeader,
  secondLookText,
  unavailableEvidence,
} from "@video-to-json/contract";
import { type Db, findEvidence, type JobRow, retryWhileUnavailable } from "@video-to-json/database";
import type { Response } from "express";
import type { Extraction } from "./admit-and-wait.ts";
import type { ExtractRequest } from "./extract-request.ts";

/** Returns a job as the JSON text of `GET /v1/jobs/{id}`. */
export function jobRecordText(row: JobRow): string {
  return jsonObjectText(jobRecordMembers(row));
}

/** Returns a succeeded job as the JSON text of `POST /v1/extract`. */
export function extractResponseText(row: JobRow): string {
  const { id, data, video, billed_seconds } = jobRecordMembers(row);
  return jsonObjectText({ id, data, video, billed_seconds });
}

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/**
 * Returns the evidence of a job of an account as JSON text. Returns undefined if the request did not ask for evidence,
 * does not exist or has not succeeded. The evidence is `unavailable` if its worker stored none.
 */
export async function evidenceTextOf(
  { db, databaseRetryMs: ms }: Deps,
  job: { id: string; accountId: string },
): Promise<string | undefined> {
  const row = await retryWhileUnavailable(() => findEvidence(db, job), { ms });
  if (!row) return undefined;
  const { evidenceText, dataText, durationMs, billedSeconds } = row;
  if (evidenceText !== "null") return evidenceText;
  const maxBytes = maxEvidenceBytes(billedSeconds);
  return JSON.stringify(unavailableEvidence({ jobId: job.id, data: JSON.parse(dataText), durationMs, maxBytes }));
}

/**
 * Returns a function that names the job in the response headers: `Job-Id`, `Extract-Warnings` with the number of
 * warnings, and `Idempotent-Replayed` for a replay.
 */
export function jobHeaders(
  response: Response,
  { warnings = [] }: Pick<ExtractRequest, "warnings">,
): Extraction["onAdmitted"] {
  return ({ jobId, kind }) => {
    response.set("Job-Id", jobId);
    if (warnings.length > 0) response.set("Extract-Warnings", String(warnings.length));
    if (kind === "replayed") response.set("Idempotent-Replayed", "true");
  };
}

/** Returns what the second look at the times of a job found; undefined without one. It is stored with the stages. */
export function secondLookCountsOf({ stagesText }: Pick<JobRow, "stagesText">): SecondLookCounts | undefined {
  return (JSON.parse(stagesText ?? "{}") as { second_look?: SecondLookCounts }).second_look;
}

/** Says in the response headers what the second look found (docs/decisions/0001, "Second look"). */
export function tellSecondLook(response: Response, row: JobRow): void {
  const counts = secondLookCountsOf(row);
  if (counts) response.set(secondLookResultHeader, secondLookText(counts));
}

/** Names the evidence of the answer in the response headers (docs/decisions/0001, "Evidence"). */
export function linkEvidence(response: Response, jobId: string): void {
  response.append("Link", `<${evidencePath(jobId)}>; rel="describedby"`);
}
