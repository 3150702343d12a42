import { isJobStatus, isUuid, jobStatuses, type ProblemCode, problemCodes } from "@video-to-json/contract";
import type { ListedJobs } from "@video-to-json/contract/dashboard/jobs";
import { type Db, findJobsPage, type JobFilter, retryWhileUnavailable } from "@video-to-json/database";
import type { Request } from "express";
import { readJobCursor, writeJobCursor } from "../../routes/jobs.ts";
import { aCursor, isDay, pageLimit, toListedJob, wrongParameter } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

const aDay = "a day such as 2026-11-22";

/** `GET jobs`: the jobs of the account that pass the filters, newest first. */
export const jobsRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/jobs",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const { cursor, limit } = request.query;
      const after = cursor === undefined ? undefined : readJobCursor(cursor);
      if (cursor !== undefined && !after) throw wrongParameter("cursor", aCursor);
      const query = { accountId, limit: pageLimit(limit), after, filter: readFilter(request) };
      const page = await retryWhileUnavailable(() => findJobsPage(db, query), { ms });
      response.json({
        jobs: page.jobs.map(toListedJob),
        next_cursor: page.last ? writeJobCursor(page.last) : null,
      } satisfies ListedJobs);
    },
};

function readFilter({ query }: Request): JobFilter {
  const { status, code, key_id: key, from, to, q: text } = query;
  if (status !== undefined && !isJobStatus(status)) throw wrongParameter("status", `one of ${jobStatuses.join(", ")}`);
  if (code !== undefined && !isCode(code)) throw wrongParameter("code", "an error code");
  if (key !== undefined && key !== "playground" && !isUuid(String(key))) {
    throw wrongParameter("key_id", "the id of a key, or `playground`");
  }
  if (from !== undefined && !isDay(from)) throw wrongParameter("from", aDay);
  if (to !== undefined && !isDay(to)) throw wrongParameter("to", aDay);
  if (text !== undefined && !(typeof text === "string" && /^[^\0]{1,200}$/u.test(text))) {
    throw wrongParameter("q", "a text of 1 to 200 characters");
  }
  const keyId = key === undefined ? undefined : key === "playground" ? null : String(key);
  return { status, code, keyId, fromDay: from, toDay: to, text };
}

function isCode(value: unknown): value is ProblemCode {
  return problemCodes.some((code) => code === value);
}
