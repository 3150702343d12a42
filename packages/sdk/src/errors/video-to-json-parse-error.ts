import type { StandardIssue } from "../extract/standard-schema.ts";
import { markErrors } from "./brand.ts";

/**
 * The job succeeded, but the schema of a validation library does not accept its data: the schema has a rule that its
 * JSON Schema cannot express, such as a refinement. The job is charged; `data` and `jobId` are those of its answer.
 *
 * @example
 * ```ts
 * try {
 *   return await client.extract({ video, schema: z.object({ total: z.number().refine(isEven) }) });
 * } catch (error) {
 *   if (!(error instanceof VideoToJsonParseError)) throw error;
 *   console.error(error.issues, error.data);
 * }
 * ```
 */
export class VideoToJsonParseError extends Error {
  static {
    markErrors(VideoToJsonParseError.prototype, "VideoToJsonParseError");
  }

  /** The issues that the schema reports. Empty if the schema threw an error, which is then `cause`. */
  readonly issues: readonly StandardIssue[];
  /** The data in the service's response. */
  readonly data: unknown;
  /** The response body as the service wrote it. */
  readonly json: string;
  /** The id of the job. `job(id)` reads it again without a charge. */
  readonly jobId: string;

  /**
   * @param message What went wrong.
   * @param fields The values of this error's properties, and `cause`.
   */
  constructor(
    message: string,
    fields: { issues: readonly StandardIssue[]; data: unknown; json: string; jobId: string; cause?: unknown },
  ) {
    super(message, { cause: fields.cause });
    this.name = "VideoToJsonParseError";
    this.issues = fields.issues;
    this.data = fields.data;
    this.json = fields.json;
    this.jobId = fields.jobId;
  }
}
