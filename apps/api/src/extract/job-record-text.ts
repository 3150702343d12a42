import { jobRecordMembers, jsonObjectText } from "@video-to-json/contract";
import type { JobRow } from "@video-to-json/database";

/** Returns a job as the JSON text of `GET /v1/jobs/{id}`. */
export function jobRecordText(row: JobRow): string {
  return jsonObjectText(jobRecordMembers(row));
}

/** Returns a succeeded job as the JSON text of `POST /v1/extract`. */
export function extractResponseText(row: JobRow): string {
  const { id, data, video, billed_seconds } = jobRecordMembers(row);
  return jsonObjectText({ id, data, video, billed_seconds });
}
