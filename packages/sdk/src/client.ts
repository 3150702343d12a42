import { VideoToJsonError } from "./errors/video-to-json-error.ts";
import { extract } from "./extract/extract.ts";
import type { Extraction, ExtractRequest } from "./extract/extract-request.ts";
import type { SchemaInput } from "./extract/schema-text.ts";
import { checkResponse } from "./http/check-response.ts";
import { type ClientOptions, type Connection, toConnection } from "./http/connection.ts";
import { type CallOptions, request } from "./http/request.ts";
import type { WithResponse } from "./http/response-info.ts";
import type { HttpResponse } from "./http/send.ts";
import type { DataOf } from "./inference/data-of.ts";
import { type JobQuery, listJobs, recentJobs } from "./jobs/recent-jobs.ts";
import type { Account, Evidence, JobList, JobRecord, RecentJob } from "./shapes.ts";

/**
 * A client of one account. Every method
 *
 * - throws VideoToJsonError when the service refuses the request or the job fails,
 * - throws VideoToJsonConnectionError when no answer of the service arrives,
 * - throws the reason of `signal` when the caller aborts.
 *
 * Every result has the property `response`: the request's id, the job's id and the rate limit. It is not enumerable.
 */
export type VideoToJson = {
  /**
   * Turns a video into JSON that conforms to a schema (specification, "POST /v1/extract").
   *
   * The type of `data` follows from a schema that is written in the call or kept `as const`. All tries of one call
   * carry the same Idempotency-Key, so the call is charged once at most.
   *
   * @param request The video, the schema and the options of the call.
   * @returns The data, the length of the video in seconds, the billed seconds and the job's id.
   * @throws {TypeError} When an argument cannot be sent.
   * @throws The file system's error, such as ENOENT, when the file cannot be read.
   * @throws {VideoToJsonError} When the service refuses the request or the job fails.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   * @throws {VideoToJsonParseError} When the schema of a validation library does not accept the data.
   * @example
   * ```ts
   * const { data, billed_seconds } = await client.extract({
   *   video: "match.mp4",
   *   schema: { winner: "home|away|draw", goals: [{ at: "timestamp", scorer: "string?" }] },
   *   signal: AbortSignal.timeout(600_000),
   * });
   * console.log(data.winner, data.goals.length, billed_seconds);
   * ```
   */
  extract<const S extends SchemaInput>(request: ExtractRequest<S>): Promise<Extraction<DataOf<S>>>;

  /**
   * Reads one job of this account (specification, "GET /v1/jobs/{id}").
   *
   * @param id The job's id, from `Extraction.id` or `VideoToJsonError.jobId`.
   * @param options `signal`, `timeout` and `retries` are those of the call.
   * @returns The job's record. `json` is the record's text as the service wrote it.
   * @throws {VideoToJsonError} `not_found` when this account has no such job; `invalid_request` when `id` is not a job
   * id.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   * @example
   * ```ts
   * const { status, data, error } = await client.job(id);
   * if (status === "failed") console.error(error?.code);
   * ```
   */
  job(id: string, options?: CallOptions): Promise<WithResponse<JobRecord & { json: string }>>;

  /**
   * Reads the evidence of an extraction that was made with `evidence: true`: where the video shows each value of the
   * data, with quotes and the results of the checks (docs/decisions/0001, "Evidence").
   *
   * @param id The job's id, from `Extraction.id`.
   * @param options `signal`, `timeout` and `retries` are those of the call.
   * @returns The evidence, by JSON pointer into `data`. `json` is its text as the service wrote it.
   * @throws {VideoToJsonError} `not_found` when this account has no such job, or it was made without `evidence`.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   * @example
   * ```ts
   * const { id, data } = await client.extract({ video, schema, evidence: true });
   * const { fields } = await client.evidence(id);
   * for (const [pointer, { verdict }] of Object.entries(fields)) if (verdict !== "confirmed") console.log(pointer);
   * ```
   */
  evidence(id: string, options?: CallOptions): Promise<WithResponse<Evidence & { json: string }>>;

  /**
   * Lists the jobs of this account by pages, newest first, without schema, instructions and data.
   *
   * @param options `limit` is the number of jobs of the page, 1 to 100, by default 20; `cursor` is `next_cursor` of the
   * previous page; `status` lists only jobs with that status. `signal`, `timeout` and `retries` are those of the call.
   * @returns The jobs, and `next_cursor` for the next page; null on the last page.
   * @throws {VideoToJsonError} `invalid_request` when an option is out of range.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   * @example
   * ```ts
   * let cursor: string | undefined;
   * do {
   *   const { jobs, next_cursor } = await client.jobs({ status: "failed", cursor });
   *   for (const { id, error } of jobs) console.log(id, error?.code);
   *   cursor = next_cursor ?? undefined;
   * } while (cursor);
   * ```
   */
  jobs(options?: JobQuery & CallOptions): Promise<WithResponse<JobList>>;

  /**
   * Reads the latest jobs of this account with their data, newest first. Records have no schema and instructions: `job`
   * reads those.
   *
   * @param options `limit` is the number of jobs, 1 to 50, by default 10. `signal`, `timeout` and `retries` are those
   * of the call.
   * @returns The jobs' records, fewer if the list would be longer than 60 kB. Longer data is left out.
   * @throws {VideoToJsonError} `invalid_request` when `limit` is out of range.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   * @example
   * ```ts
   * for (const { id, status, billed_seconds } of await client.recentJobs({ limit: 20 })) {
   *   console.log(id, status, billed_seconds);
   * }
   * ```
   */
  recentJobs(options?: { limit?: number | undefined } & CallOptions): Promise<WithResponse<RecentJob[]>>;

  /**
   * Erases the schema, instructions, data and error text of a finished job for good (docs/decisions/0001, "Listing
   * jobs"). The charge stays.
   *
   * @param id The job's id, from `Extraction.id` or `jobs`.
   * @param options `signal`, `timeout` and `retries` are those of the call.
   * @throws {VideoToJsonError} `not_found` when this account has no such job or it was deleted before;
   *   `invalid_request` while the job is queued or running.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   * @example
   * ```ts
   * const { id, data } = await client.extract({ video, schema });
   * await client.deleteJob(id); // `data` exists only here now
   * ```
   */
  deleteJob(id: string, options?: CallOptions): Promise<void>;

  /**
   * Reads the account of the key and its balance (specification, "GET /v1/me").
   *
   * @param options `signal`, `timeout` and `retries` are those of the call.
   * @returns The account's e-mail address and its balance in minutes and in seconds.
   * @throws {VideoToJsonError} `unauthorised` when the key is unknown or revoked.
   * @throws {VideoToJsonConnectionError} When no answer of the service arrives.
   */
  account(options?: CallOptions): Promise<WithResponse<Account>>;
};

/**
 * Creates a client for one API key and one service. Sends nothing yet.
 *
 * @param options The key and the service's address, by default from the environment; retries, timeout, logger, `fetch`.
 * @returns The client. It holds no resources and needs no closing.
 * @throws {TypeError} When an option is invalid. The message never contains the key.
 * @example
 * ```ts
 * import { createClient } from "video-to-json";
 *
 * const client = createClient({ apiKey: "v2j_live_…", baseUrl: "https://api.example.com" });
 * const { minutes_remaining } = await client.account();
 * ```
 */
export function createClient(options: ClientOptions = {}): VideoToJson {
  const connection = toConnection(options);
  return {
    extract: async <const S extends SchemaInput>(extractRequest: ExtractRequest<S>) =>
      (await extract(connection, extractRequest)) as Extraction<DataOf<S>>,
    job: (id, callOptions = {}) => {
      const outgoing = { method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}` } as const;
      return request(connection, outgoing, callOptions, (response) => ({
        ...checkResponse<JobRecord>(connection, response, "id", "status"),
        json: response.text,
      }));
    },
    evidence: (id, callOptions = {}) => {
      const outgoing = { method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}/evidence` } as const;
      return request(connection, outgoing, callOptions, (response) => ({
        ...checkResponse<Evidence>(connection, response, "job_id", "fields"),
        json: response.text,
      }));
    },
    deleteJob: (id, callOptions = {}) => deleteJob(connection, id, callOptions),
    jobs: (query = {}) => listJobs(connection, query),
    recentJobs: (listOptions = {}) => recentJobs(connection, listOptions),
    account: (callOptions = {}) =>
      request(connection, { method: "GET", path: "/v1/me" }, callOptions, (response) =>
        checkResponse<Account>(connection, response, "seconds_remaining"),
      ),
  };
}

/** Erases the contents of a finished job (docs/decisions/0001, "Listing jobs"). */
async function deleteJob(connection: Connection, id: string, options: CallOptions): Promise<void> {
  const outgoing = { method: "DELETE", path: `/v1/jobs/${encodeURIComponent(id)}` } as const;
  await request(connection, outgoing, options, (response, attempt) => checkErased(connection, response, attempt));
}

function checkErased(connection: Connection, response: HttpResponse, attempt: number): object {
  if (response.status === 204) return {};
  try {
    return checkResponse(connection, response);
  } catch (error) {
    // An earlier try, whose answer was lost, erased it.
    if (attempt > 1 && error instanceof VideoToJsonError && error.code === "not_found") return {};
    throw error;
  }
}
