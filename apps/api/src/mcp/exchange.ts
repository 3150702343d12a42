import { isIP } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { hostHeaderValidation, originValidation } from "@modelcontextprotocol/express";
import { toWebRequest } from "@modelcontextprotocol/node";
import { Problem } from "@video-to-json/contract";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { asProblem } from "../errors/on-error.ts";
import { contextOf } from "../http/context.ts";

/**
 * Returns the web request that the MCP library takes. Media types are in lower case, because the library compares them
 * that way. The URL is the route's own, whatever form the request line had.
 */
export function webRequest(request: Request, message: object, signal: AbortSignal): Promise<globalThis.Request> {
  const headers = { ...request.headers, host: "localhost", accept: request.get("accept")?.toLowerCase() };
  const head = { method: "POST", url: request.path, headers, [Symbol.asyncIterator]: emptyBody };
  return toWebRequest(head, message, { signal });
}

// The body was read before.
async function* emptyBody() {}

/**
 * The JSON text of a tool's result, and a random name that marks its place in the message. A model wrote the text, and
 * the values of a megabyte of it would hold the process for a second. So it goes out as it is, which also keeps the order
 * of keys and the literals of numbers.
 */
export type Structure = { readonly mark: string; text: string };

/**
 * Sends the library's response, with the text of the structure at its place. We set the headers for caching and for the
 * connection, not the library.
 */
export async function sendWebResponse(
  response: Response,
  answer: globalThis.Response,
  structure: Structure,
): Promise<void> {
  for (const [name, value] of answer.headers) if (name !== "connection") response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-store, no-transform");
  response.status(answer.status);
  if (!answer.body) {
    response.end();
    return;
  }
  response.flushHeaders();
  // The pipeline fails when the client closes its stream, which is not an error of ours.
  const body = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(body, fillIn(structure), response).catch(() => {});
}

/** The library writes each message as one chunk. */
function fillIn(structure: Structure): (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> {
  const place = `{"${structure.mark}":0}`;
  return async function* filled(chunks) {
    for await (const chunk of chunks) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const at = bytes.indexOf(place);
      if (at < 0) {
        yield bytes;
        continue;
      }
      // A line break would end the event. In JSON it is only white space.
      const text = Buffer.from(structure.text.replaceAll(/[\r\n]/g, " "));
      yield Buffer.concat([bytes.subarray(0, at), text, bytes.subarray(at + place.length)]);
    }
  };
}

/** Holds the head of a response back until it is known which job a call is about. */
export type ResponseHeadGate = {
  /** Resolves when `open` is called, or after one second, so that the client sees that the call is alive. */
  readonly opened: Promise<void>;
  open(): void;
};

const maxWaitMs = 1000;

/** Creates a gate. `Job-Id` is a response header, so it cannot be set once the head is sent. */
export function createResponseHeadGate(): ResponseHeadGate {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, maxWaitMs);
  return {
    opened: promise,
    open: () => {
      clearTimeout(timer);
      resolve();
    },
  };
}

/** Sends the errors of an invalid message as JSON-RPC errors. Other errors get the Error body of every route. */
export const sendRpcErrors: ErrorRequestHandler = (error, _request, response, next) => {
  const rpcError = rpcErrorOf(error);
  if (!rpcError || response.headersSent) return next(error);
  contextOf(response).code = "invalid_request";
  sendRpcError(response, rpcError);
};

function rpcErrorOf(error: unknown): RpcError | undefined {
  if (error instanceof RpcError) return error;
  if (error instanceof Problem && error.code !== "invalid_request") return undefined;
  const { status } = error as { status?: unknown };
  if (typeof status !== "number" || status >= 500) return undefined;
  return new RpcError(status, rpcCodes.refused, asProblem(error).message);
}

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
function sendRpcError(response: Response, { status, code, message, id }: RpcError): void {
  response.status(status).json({ jsonrpc: "2.0", id, error: { code, message } });
}

export type GuardBrowsersDeps = { readonly mcpAllowedHosts: readonly string[] };

const localHosts = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Stops web pages of other sites from using a visitor's network to reach `/v1/mcp` (DNS rebinding). The Host header
 * must be one of our names or an IP address, because no name server can point an address at us. The Origin of a page
 * must be ours. Our names are the hosts of PUBLIC_URL and this machine. A name without a dot, such as that of a service in
 * a cluster, passes as an address does.
 */
export function guardBrowsers({ mcpAllowedHosts }: GuardBrowsersDeps): RequestHandler[] {
  const names = [...localHosts, ...mcpAllowedHosts];
  // A name with a dot at its end is the same name.
  const allowed = names.flatMap((name) => [name, `${name}.`]);
  const validateName = hostHeaderValidation(allowed);
  return [
    (request, response, next) => {
      const { host } = request.headers;
      // Only a name and a port. Other servers on the way may read the rest of such a header, as in `user@`, differently.
      if (!/^[^\s/?#@\\]+$/.test(host ?? "")) {
        throw new RpcError(
          403,
          rpcCodes.refused,
          "The Host header is missing or malformed. Send the name of this service.",
        );
      }
      if (isAddress(host) || /^[a-z0-9_-]+(?::\d+)?$/i.test(host ?? "")) next();
      else validateName(request, response, next);
    },
    originValidation(allowed),
  ];
}

function isAddress(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  return isIP(new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "")) !== 0;
}
