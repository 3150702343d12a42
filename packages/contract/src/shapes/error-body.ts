import Type from "typebox";
import { problemCodes } from "../errors/problem-catalogue.ts";

/** The codes (specification, "Errors"): they keep their meaning and are what a program decides by. */
export const ErrorCode = Type.Enum(problemCodes, {
  type: "string",
  description: "Stable: it never changes its meaning and never names the model in use. Decide by this.",
});

/** What a caller is told of a failure (specification, "Error"; also a failed job's `error`). */
export const ErrorInside = Type.Object(
  {
    code: ErrorCode,
    message: Type.String({ description: "For humans; says what to do next. Not to be parsed." }),
    details: Type.Optional(
      Type.Array(Type.String(), { description: "Specifics; `<JSON pointer>: <reason>` about a schema or an answer." }),
    ),
  },
  { additionalProperties: false, description: "What went wrong." },
);
export type ErrorInside = Type.Static<typeof ErrorInside>;

/** Body of every non-2xx response (specification, "Error"). */
export const ErrorBody = Type.Object(
  { error: ErrorInside },
  { additionalProperties: false, description: "Body of every response that is no success." },
);
export type ErrorBody = Type.Static<typeof ErrorBody>;
