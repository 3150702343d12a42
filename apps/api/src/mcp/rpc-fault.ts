import type { Response } from "express";

/** What is wrong with a message as such, before any tool has a say: answered as a JSON-RPC error. */
export class RpcFault extends Error {
  readonly status: number;
  readonly code: number;
  /** Of the message that is at fault, as far as it has one. */
  readonly id: string | number | null;

  constructor(status: number, code: number, message: string, id: string | number | null = null) {
    super(message);
    this.name = "RpcFault";
    this.status = status;
    this.code = code;
    this.id = id;
  }
}

/** Codes of JSON-RPC 2.0: not JSON; JSON, but no request; wrong params; refused by the server. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  refused: -32_000,
} as const;

/** Answers with a JSON-RPC error. */
export function sendRpcFault(response: Response, { status, code, message, id }: RpcFault): void {
  response.status(status).json({ jsonrpc: "2.0", id, error: { code, message } });
}
