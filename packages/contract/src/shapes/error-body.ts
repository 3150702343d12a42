import Type from "typebox";
import { problemCodes } from "../errors/problem-catalogue.ts";
import { named } from "./named.ts";

/** The codes of the error catalogue (specification, "Errors"). Programs decide by them. */
export const ErrorCode = named(
  "ErrorCode",
  Type.Enum(problemCodes, {
    type: "string",
    description: "Stable: it never changes its meaning and never names the model in use. Programs check this.",
  }),
);

/** What a caller gets to know about a failure (specification, "Error"). It is also the `error` of a failed job. */
export const ErrorInside = named(
  "ErrorInside",
  Type.Object(
    {
      code: ErrorCode,
      message: Type.String({ description: "For people: what is wrong and what to do. Do not parse it." }),
      details: Type.Optional(
        Type.Array(Type.String(), {
          description: "The specific parts: `<JSON pointer>: <reason>` about a schema or an answer.",
        }),
      ),
    },
    { additionalProperties: false, description: "What went wrong." },
  ),
);
export type ErrorInside = Type.Static<typeof ErrorInside>;

/** Body of every non-2xx response (specification, "Error"). */
export const ErrorBody = named(
  "Error",
  Type.Object({ error: ErrorInside }, { additionalProperties: false, description: "Body of every failed response." }),
);
