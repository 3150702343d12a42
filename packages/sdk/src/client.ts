import { extract } from "./extract/extract.ts";
import type { Extraction, ExtractRequest } from "./extract/extract-request.ts";
import type { SchemaInput } from "./extract/schema-text.ts";
import { ask } from "./http/ask.ts";
import { type ClientOptions, toConnection } from "./http/connection.ts";
import { judgeAnswer } from "./http/judge-answer.ts";
import type { DataOf } from "./inference/data-of.ts";
import { recentJobs } from "./jobs/recent-jobs.ts";
import type { Account, JobRecord } from "./shapes.ts";

/** A client of one account. Its methods throw VideoToJsonError, VideoToJsonConnectionError, or a signal's reason. */
export type VideoToJson = {
  /**
   * Turns a video into JSON that conforms to a schema (specification, "POST /v1/extract"). When the schema is written
   * out, the type of `data` is inferred from it. Throws a TypeError for arguments that cannot be sent, and what the
   * file system says of a file that cannot be read.
   */
  extract<const S extends SchemaInput>(request: ExtractRequest<S>): Promise<Extraction<DataOf<S>>>;
  /** A past extraction of this account, and its record as it came (specification, "GET /v1/jobs/{id}"). */
  job(id: string, options?: { signal?: AbortSignal | undefined }): Promise<JobRecord & { json: string }>;
  /** The account's latest extractions, newest first: 10 unless said, 50 at most. */
  recentJobs(options?: { limit?: number | undefined; signal?: AbortSignal | undefined }): Promise<JobRecord[]>;
  /** The account behind the key and its balance (specification, "GET /v1/me"). */
  account(options?: { signal?: AbortSignal | undefined }): Promise<Account>;
};

/** A client for one key and one address. Throws a TypeError when an option cannot be right; nothing is sent yet. */
export function createClient(options: ClientOptions): VideoToJson {
  const connection = toConnection(options);
  return {
    extract: async <const S extends SchemaInput>(request: ExtractRequest<S>) =>
      (await extract(connection, request)) as Extraction<DataOf<S>>,
    job: (id, { signal } = {}) => {
      const outgoing = { method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}` } as const;
      return ask(connection, outgoing, signal, (answer) => ({
        ...judgeAnswer<JobRecord>(connection, answer, "id", "status"),
        json: answer.text,
      }));
    },
    recentJobs: (given = {}) => recentJobs(connection, given),
    account: ({ signal } = {}) =>
      ask(connection, { method: "GET", path: "/v1/me" }, signal, (answer) =>
        judgeAnswer<Account>(connection, answer, "seconds_remaining"),
      ),
  };
}
