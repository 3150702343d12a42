import { unavailableEvidence } from "@video-to-json/contract";
import { type Db, findEvidence, retryWhileUnavailable } from "@video-to-json/database";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/**
 * Returns the evidence of a job of an account as JSON text. Returns undefined if the job was not asked for evidence,
 * does not exist or has not succeeded. The evidence is `unavailable` if its worker stored none.
 */
export async function evidenceTextOf(
  { db, databaseRetryMs: ms }: Deps,
  job: { id: string; accountId: string },
): Promise<string | undefined> {
  const row = await retryWhileUnavailable(() => findEvidence(db, job), { ms });
  if (!row) return undefined;
  const { evidenceText, dataText, durationMs } = row;
  if (evidenceText !== "null") return evidenceText;
  return JSON.stringify(unavailableEvidence({ jobId: job.id, data: JSON.parse(dataText), durationMs }));
}
