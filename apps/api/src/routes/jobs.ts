import { isJobStatus, isUuid, jobStatuses, jobSummaryMembers, jsonObjectText, Problem } from "@video-to-json/contract";
import { JobList, JobStatus as JobStatusShape, type JobSummary } from "@video-to-json/contract/shapes/jobs";
import { type Db, type JobPlace, listJobPage, retryWhileUnavailable } from "@video-to-json/database";
import type { Request } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { checkNames, listParameters } from "../extract/unknown-members.ts";
import { json } from "../openapi/operation.ts";
import { succeededJob } from "../openapi/samples.ts";
import type { Route } from "./route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

const maxLimit = 100;
const defaultLimit = 20;
const cursorExample = writeJobCursor({ createdMicros: "1795255200000000", id: succeededJob.id });

/** `GET /v1/jobs`: the jobs of the caller's account, newest first (docs/decisions/0001, "Listing jobs"). */
export const jobsRoute: Route<Deps> = {
  method: "get",
  path: "/v1/jobs",
  use: { kind: "read", scope: "read" },
  operation: {
    operationId: "listJobs",
    tag: "Extraction",
    summary: "List past extractions",
    description:
      "The jobs of this account, newest first, without schema, instructions and data: those are at `GET /v1/jobs/{id}`. Jobs that are admitted meanwhile neither repeat nor hide a job of a later page.",
    parameters: [
      {
        name: "limit",
        in: "query",
        required: false,
        description: "How many jobs a page may have.",
        schema: { type: "integer", minimum: 1, maximum: maxLimit, default: defaultLimit },
        example: 50,
      },
      {
        name: "cursor",
        in: "query",
        required: false,
        description: "`next_cursor` of the previous page. It stays valid, and its content is opaque.",
        schema: { type: "string" },
        example: cursorExample,
      },
      {
        name: "status",
        in: "query",
        required: false,
        description: "Only jobs with this status.",
        schema: JobStatusShape,
        example: "succeeded",
      },
    ],
    responses: {
      200: {
        description: "A page of jobs.",
        content: json(JobList, {
          page: {
            summary: "The first page of more",
            value: { jobs: [summaryOf(succeededJob)], next_cursor: cursorExample } satisfies JobList,
          },
          nothing: { summary: "There are no jobs", value: { jobs: [], next_cursor: null } satisfies JobList },
        }),
      },
    },
    failures: { invalidRequest: wrong("limit") },
  },
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const query = { ...readQuery(request), accountId: callerOf(response).accountId };
      const page = await retryWhileUnavailable(() => listJobPage(db, query), { ms });
      const jobs = page.jobs.map((row) => jsonObjectText(jobSummaryMembers(row))).join(",");
      const next = JSON.stringify(page.last ? writeJobCursor(page.last) : null);
      response.type("application/json").send(`{"jobs":[${jobs}],"next_cursor":${next}}`);
    },
};

function readQuery({ query }: Request) {
  checkNames(Object.keys(query), listParameters, "a query parameter");
  const { limit = String(defaultLimit), cursor, status } = query;
  const count = typeof limit === "string" && /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > maxLimit) throw new Problem("invalid_request", { reason: wrong("limit") });
  const after = cursor === undefined ? undefined : readJobCursor(cursor);
  if (cursor !== undefined && !after) throw new Problem("invalid_request", { reason: wrong("cursor") });
  if (status !== undefined && !isJobStatus(status)) throw new Problem("invalid_request", { reason: wrong("status") });
  return { limit: count, after, status };
}

function wrong(parameter: "limit" | "cursor" | "status"): string {
  const expected = {
    limit: `a whole number from 1 to ${maxLimit}`,
    cursor: "`next_cursor` of an earlier response, unchanged",
    status: `one of ${jobStatuses.join(", ")}`,
  };
  return `\`${parameter}\` is wrong. Send ${expected[parameter]}, once.`;
}

function summaryOf({ schema, instructions, data, error, ...summary }: typeof succeededJob): JobSummary {
  return { ...summary, error: error && { code: error.code } };
}

/** Returns the cursor of the page that follows a job. It is opaque to callers. */
export function writeJobCursor({ createdMicros, id }: JobPlace): string {
  return Buffer.from(`${createdMicros}.${id}`).toString("base64url");
}

/** Returns the job that a cursor names, or undefined for any other text. */
export function readJobCursor(cursor: unknown): JobPlace | undefined {
  if (typeof cursor !== "string") return undefined;
  const [createdMicros = "", id = "", ...more] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  if (!/^\d{1,16}$/.test(createdMicros) || !isUuid(id) || more.length > 0) return undefined;
  return { createdMicros, id };
}
