import { checkResponse } from "../http/check-response.ts";
import type { Connection } from "../http/connection.ts";
import { type CallOptions, request } from "../http/request.ts";
import type { WithResponse } from "../http/response-info.ts";
import type { JobList, JobSummary } from "../shapes.ts";

/** Which page of the account's jobs to list. */
export type JobQuery = {
  /** How many jobs, 1 to 100; 20 by default. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
  /** Only jobs with this status. */
  status?: JobSummary["status"] | undefined;
};

/** Lists one page of the account's jobs, newest first (docs/decisions/0001, "Listing jobs"). */
export function listJobs(
  connection: Connection,
  { limit, cursor, status, ...options }: JobQuery & CallOptions,
): Promise<WithResponse<JobList>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit, cursor, status })) {
    if (value !== undefined) query.set(name, String(value));
  }
  const path = query.size > 0 ? (`/v1/jobs?${query}` as const) : "/v1/jobs";
  return request(connection, { method: "GET", path }, options, (response) =>
    checkResponse<JobList>(connection, response, "jobs", "next_cursor"),
  );
}
