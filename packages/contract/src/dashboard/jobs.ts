import Type from "typebox";
import { jobStages } from "../job-progress.ts";
import { Clip, DetailLevel } from "../shapes/clip.ts";
import { JobSummary } from "../shapes/job-list.ts";
import { JobRecord } from "../shapes/job-record.ts";
import { exact, NextCursor, orNull } from "./fields.ts";
import { NamedKey } from "./keys.ts";

/** The key that made a job; null for a job of the playground. */
const key = orNull(NamedKey);

/** A job of a list. */
export const ListedJob = exact({ ...JobSummary.properties, key });
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
 * difference between `0` and `0.0`. `clip` is null for a job about its whole video. `wants_evidence`: its evidence can
 * be read after it has succeeded. `attempts` and `timings` are null for jobs that did not record them.
 */
export const DashboardJob = exact({
  ...members,
  schema_text: Type.String(),
  data_text: orNull(Type.String()),
  clip: orNull(Clip),
  detail: DetailLevel,
  wants_evidence: Type.Boolean(),
  key,
  attempts: orNull(Type.Integer()),
  timings: orNull(Type.Array(StageTiming)),
});
export type DashboardJob = Type.Static<typeof DashboardJob>;
