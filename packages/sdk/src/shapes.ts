import type { components } from "./generated/interface.gen.ts";

type Schemas = components["schemas"];

/** A part of a video (docs/decisions/0001, "Clip and detail"). */
export type Clip = Schemas["Clip"];

/** A part of a request that may not mean what its author wanted (docs/decisions/0001, "Warnings"). */
export type SchemaWarning = Schemas["WarningEvent"];
/** How many times of an answer got each verdict in its second look. */
export type SecondLookCounts = Schemas["SecondLookEvent"];

/** How closely the model looks at a video (docs/decisions/0001, "Clip and detail"). */
export type Detail = Schemas["Detail"];

/** The account of the API key and its balance. Holds are not subtracted (specification, "Account"). */
export type Account = Schemas["Account"];

/** A job: one extraction, in flight or finished (docs/decisions/0001, "Job"). */
export type JobRecord = Schemas["JobRecord"];

/** A job as `recentJobs` lists it: without its schema and instructions, and without data that is too long for a list. */
export type RecentJob = Omit<JobRecord, "schema" | "instructions" | "data"> & { data?: unknown };

/** The evidence of each value of an answer (docs/decisions/0001, "Evidence"). */
export type Evidence = Schemas["Evidence"];

/** A job of a list: without its schema, instructions and data (docs/decisions/0001, "Listing jobs"). */
export type JobSummary = Schemas["JobSummary"];

/** One page of the account's jobs. */
export type JobList = Schemas["JobList"];

/** The response body of an extraction (specification, "ExtractResponse"). */
export type ExtractResponse = Schemas["ExtractResponse"];

/** The stable name of an error (specification, "Errors"). */
export type ProblemCode = Schemas["ErrorCode"];

/** The `error` member of an Error body (specification, "Error"). */
export type ErrorInside = Schemas["ErrorInside"];
