import Type from "typebox";
import { jobStages } from "../job-record-text.ts";
import { SecondLookEvent } from "../shapes/extract.ts";
import { JobRecord, JobSummary } from "../shapes/jobs.ts";
import { exact, Id, NextCursor, orNull } from "./fields.ts";
import { NamedKey } from "./keys.ts";

/** The key that made a job; null for a job of the playground. */
const key = orNull(NamedKey);

/** The name of the uploaded file; null for a URL. */
const title = orNull(Type.String());

/** A job of a list. */
export const ListedJob = exact({ ...JobSummary.properties, title, key });
export type ListedJob = Type.Static<typeof ListedJob>;

/** `GET jobs`: newest first. */
export const ListedJobs = exact({ jobs: Type.Array(ListedJob), next_cursor: NextCursor });
export type ListedJobs = Type.Static<typeof ListedJobs>;

/** How long a job was in a stage, in milliseconds, summed over its attempts. */
export const StageTiming = exact({ stage: Type.Enum(["queued", ...jobStages]), ms: Type.Integer() });
export type StageTiming = Type.Static<typeof StageTiming>;

const { schema, data, ...members } = JobRecord.properties;

/**
 * `GET jobs/{id}`. Schema and data are JSON texts, because parsing loses the order of keys such as `"10"` and the
 * difference between `0` and `0.0`. `wants_evidence`: its evidence can
 * be read after it has succeeded. `attempts` and `timings` are null for jobs that did not record them, `second_look` for those without one.
 */
export const DashboardJob = exact({
  ...members,
  title,
  schema_text: Type.String(),
  data_text: orNull(Type.String()),
  wants_evidence: Type.Boolean(),
  key,
  attempts: orNull(Type.Integer()),
  timings: orNull(Type.Array(StageTiming)),
  second_look: orNull(SecondLookEvent),
});
export type DashboardJob = Type.Static<typeof DashboardJob>;

/** `GET runs/{id}`: the job of an idempotency key that the page made. */
export const RunRecord = exact({ job_id: Id });
export type RunRecord = Type.Static<typeof RunRecord>;

/** Body of `POST schema/check`: the text of a sketch or a JSON Schema, which may still be incomplete. */
export const SchemaText = exact({ schema: Type.String() });
export type SchemaText = Type.Static<typeof SchemaText>;

/** Characters (UTF-16 units) of the text: `from` is the first, `to` follows the last. */
const Place = exact({ from: Type.Integer(), to: Type.Integer() });

/** A fault or a doubt at a JSON pointer (the root's is empty). `place` is null if it is unknown. */
export const SchemaRemark = exact({ pointer: Type.String(), reason: Type.String(), place: orNull(Place) });
export type SchemaRemark = Type.Static<typeof SchemaRemark>;

/**
 * Answer of `POST schema/check`. `json_schema` is the JSON Schema as text, with its keys in order; null if there are
 * errors.
 */
export const SchemaCheck = exact({
  kind: Type.Enum(["sketch", "json_schema"]),
  json_schema: orNull(Type.String()),
  warnings: Type.Array(SchemaRemark),
  errors: Type.Array(SchemaRemark),
});
export type SchemaCheck = Type.Static<typeof SchemaCheck>;
