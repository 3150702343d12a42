import { isUuid, Problem } from "@video-to-json/contract";
import { type Db, findJob, retryWhileUnavailable } from "@video-to-json/database";
import type { RequestHandler } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { notFound } from "../errors/not-found.ts";
import { jobRecordText } from "../extract/job-record-text.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET /v1/jobs/{id}`: a past extraction of the caller's account (specification, "GET /v1/jobs/{id}"). */
export function job({ db, databaseRetryMs: ms }: Deps): RequestHandler<{ id: string }> {
  return async (request, response) => {
    const { id } = request.params;
    if (!isUuid(id)) {
      throw new Problem("invalid_request", { reason: "The job id is not a UUID. Send the id of an extraction." });
    }
    const wanted = { id: id.toLowerCase(), accountId: callerOf(response).accountId };
    const row = await retryWhileUnavailable(() => findJob(db, wanted), { ms });
    if (!row) throw notFound();
    response.set("Job-Id", row.id);
    response.type("application/json").send(jobRecordText(row));
  };
}
