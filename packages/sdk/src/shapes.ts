import type { components } from "./generated/interface.gen.ts";

type Schemas = components["schemas"];

/** The account behind the key and its balance, holds not subtracted (specification, "Account"). */
export type Account = Schemas["Account"];

/** An extraction, past or under way (docs/decisions/0001, "Job"). */
export type JobRecord = Schemas["JobRecord"];

/** What comes back of an extraction (specification, "ExtractResponse"). */
export type ExtractResponse = Schemas["ExtractResponse"];

/** A stable code that says why something was refused or failed (specification, "Errors"). */
export type ProblemCode = Schemas["ErrorCode"];

/** What is told of a failure (specification, "Error"). */
export type ErrorInside = Schemas["ErrorInside"];
