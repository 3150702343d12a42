import Type from "typebox";

const id = Type.Union([Type.String(), Type.Integer()]);

/** A JSON-RPC message to `POST /v1/mcp` (specification, "POST /v1/mcp"). Batches are refused. */
export const McpRequest = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Optional({ ...id, description: "Missing in a notification, which gets no answer." }),
    method: Type.String({ description: "`initialize`, `tools/list`, `tools/call` and the like." }),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { description: "One JSON-RPC message of the Model Context Protocol." },
);

/** The JSON-RPC answer to one; over an event stream, the data of its last event. */
export const McpResponse = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
    result: Type.Optional(Type.Object({}, { additionalProperties: true })),
    error: Type.Optional(
      Type.Object(
        { code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) },
        { description: "A fault of the protocol. A failed tool is a `result` with `isError`." },
      ),
    ),
  },
  { description: "The JSON-RPC answer to one message." },
);
