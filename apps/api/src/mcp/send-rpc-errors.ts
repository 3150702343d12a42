import { Problem } from "@video-to-json/contract";
import type { ErrorRequestHandler } from "express";
import { asProblem } from "../errors/on-error.ts";
import { RpcError, rpcCodes, sendRpcError } from "./rpc-error.ts";

/** Sends the errors of an invalid message as JSON-RPC errors. Other errors get the Error body of every route. */
export const sendRpcErrors: ErrorRequestHandler = (error, _request, response, next) => {
  const rpcError = rpcErrorOf(error);
  if (!rpcError || response.headersSent) return next(error);
  response.locals.code = "invalid_request";
  sendRpcError(response, rpcError);
};

function rpcErrorOf(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error;
  if (error instanceof Problem && error.code !== "invalid_request") return undefined;
  const { status } = error as { status?: unknown };
  if (typeof status !== "number" || status >= 500) return undefined;
  return new RpcError(status, rpcCodes.refused, asProblem(error).message);
}
