import Type from "typebox";
import { named } from "./named.ts";

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
