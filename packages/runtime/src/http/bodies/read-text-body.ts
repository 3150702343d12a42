import { Problem } from "@video-to-json/contract";
import type { Request, Response } from "express";
import express from "express";
import { enforceMinimumUploadRate, type UploadRate } from "./upload-limits.ts";

const maxBytes = 4 * 1024 * 1024;
const readRaw = express.raw({ type: () => true, limit: maxBytes, inflate: false });

/**
 * Reads a UTF-8 body of at most 4 MiB and returns its text as the client sent it. Throws invalid_request for a body
 * that is not UTF-8 or arrives too slowly. Express' own errors, with a 4xx `status`, pass through: the body is too
 * large or compressed.
 */
export async function readTextBody(rate: UploadRate, request: Request, response: Response): Promise<string> {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.get("content-type") ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Problem("invalid_request", { reason: "The charset of the body is not UTF-8. Send JSON in UTF-8." });
  }
  sendContinue(response);
  const body = await readBytes(rate, request, response);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw new Problem("invalid_request", { reason: "The body is not UTF-8. Send JSON in UTF-8." }, { cause });
  }
}

async function readBytes(rate: UploadRate, request: Request, response: Response): Promise<Buffer> {
  let watch: { stop(): void } | undefined;
  await new Promise<void>((resolve, reject) => {
    watch = enforceMinimumUploadRate(request, rate, reject);
    readRaw(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  }).finally(() => watch?.stop());
  const body: unknown = request.body;
  // The request lives as long as its response, which may be minutes.
  request.body = undefined;
  // Express leaves `body` undefined if the request has none.
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/**
 * Sends `100 Continue` if the client waits for it (`Expect: 100-continue`). Call it right before the body is read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export function sendContinue(response: Response): void {
  if (!response.locals.expectsContinue) return;
  response.writeContinue();
  // The client sends from now on. If the response comes early, closing at once would reset the connection.
  response.shouldKeepAlive = true;
}
