import type { TSchema } from "typebox";
import Type from "typebox";
import { problemCodes } from "../errors/problem-catalogue.ts";

const shapeName = Symbol("name of a shape");

/** Sets the name of a shape under `components.schemas` of the interface description. Returns the shape. */
export function named<Shape extends TSchema>(name: string, shape: Shape): Shape {
  return Object.defineProperty(shape, shapeName, { value: name });
}

/** Returns the name of a shape, or undefined for anything without one. */
export function nameOf(value: object): string | undefined {
  return (value as { [shapeName]?: string })[shapeName];
}

/** Body of `GET /v1/me` (specification, "Account"): the balance, from which holds are not subtracted. */
export const Account = named(
  "Account",
  Type.Object(
    {
      email: Type.String({ format: "email", description: "The e-mail of the account behind the key." }),
      minutes_remaining: Type.Number({ description: "The balance in seconds divided by sixty." }),
      seconds_remaining: Type.Integer({ description: "The balance in seconds." }),
    },
    { additionalProperties: false, description: "The account behind the key, and its balance." },
  ),
);
export type Account = Type.Static<typeof Account>;

/** The parts of the body of `GET /v1/openapi.json` on which its readers may rely (specification, same section). */
export const InterfaceDescription = named(
  "InterfaceDescription",
  Type.Object(
    {
      openapi: Type.String({ pattern: "^3\\.1\\.\\d+$", description: "Version of the OpenAPI Specification." }),
      info: Type.Object(
        { title: Type.String(), version: Type.String({ description: "Version of the interface." }) },
        { additionalProperties: true },
      ),
      paths: Type.Object({}, { additionalProperties: true }),
    },
    { additionalProperties: true, description: "An OpenAPI 3.1 document." },
  ),
);

const id = Type.Union([Type.String(), Type.Integer()]);

/** A JSON-RPC message to `POST /v1/mcp` (specification, "POST /v1/mcp"). Batches are refused. */
export const McpRequest = named(
  "McpRequest",
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Optional({ ...id, description: "Missing in a notification, which gets no response." }),
      method: Type.String({ description: "`initialize`, `tools/list`, `tools/call` and the like." }),
      params: Type.Optional(Type.Object({}, { additionalProperties: true })),
    },
    { description: "One JSON-RPC message of the Model Context Protocol." },
  ),
);

/** The JSON-RPC response to one message. In an event stream it is the data of the last event. */
export const McpResponse = named(
  "McpResponse",
  Type.Object(
    {
      jsonrpc: Type.Literal("2.0"),
      id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
      result: Type.Optional(Type.Object({}, { additionalProperties: true })),
      error: Type.Optional(
        Type.Object(
          { code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) },
          { description: "A protocol error. A failed tool is a `result` with `isError`." },
        ),
      ),
    },
    { description: "The JSON-RPC response to one message." },
  ),
);

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
