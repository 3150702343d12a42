import Type from "typebox";
import { problemCodes } from "../problem-catalogue.ts";

/** What a caller is told of a failure (specification, "Error"; also a failed job's `error`). */
export const ErrorInside = Type.Object(
  {
    code: Type.Enum(problemCodes, { description: "Stable; see the Errors part." }),
    message: Type.String({ description: "For humans; says what to do next. Not to be parsed." }),
    details: Type.Optional(
      Type.Array(Type.String(), { description: "Specifics; `<JSON pointer>: <reason>` about a schema or an answer." }),
    ),
  },
  { additionalProperties: false },
);
export type ErrorInside = Type.Static<typeof ErrorInside>;

/** Body of every non-2xx response (specification, "Error"). */
export const ErrorBody = Type.Object({ error: ErrorInside }, { additionalProperties: false });
export type ErrorBody = Type.Static<typeof ErrorBody>;
