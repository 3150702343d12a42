import type { Response } from "express";

/** A message that is invalid before any tool runs. The response is a JSON-RPC error. */
export class RpcError extends Error {
  /** The HTTP status. */
  readonly status: number;
  readonly code: number;
  /** The id of the invalid message, if it has one. */
  readonly id: string | number | null;

  constructor(status: number, code: number, message: string, id: string | number | null = null) {
    super(message);
    this.name = "RpcError";
    this.status = status;
    this.code = code;
    this.id = id;
  }
}

/** Error codes of JSON-RPC 2.0; `refused` is in the range for servers' own codes. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  refused: -32_000,
} as const;

/** Sends a JSON-RPC error response. */
export function sendRpcError(response: Response, { status, code, message, id }: RpcError): void {
  response.status(status).json({ jsonrpc: "2.0", id, error: { code, message } });
}
