import type { Response } from "express";

/** What is wrong with a message as such, before any tool has a say: answered as a JSON-RPC error. */
export class RpcFault extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.name = "RpcFault";
    this.status = status;
    this.code = code;
  }
}

/** Codes of JSON-RPC 2.0: not JSON; JSON, but no request; refused by the server. */
export const rpcCodes = { parseError: -32_700, invalidRequest: -32_600, refused: -32_000 } as const;

/** Answers with a JSON-RPC error that belongs to no request in particular. */
export function sendRpcFault(response: Response, { status, code, message }: RpcFault): void {
  response.status(status).json({ jsonrpc: "2.0", id: null, error: { code, message } });
}
