import { type Limits, Problem } from "@video-to-json/contract";
import express, { type Request, type Response } from "express";
import { acceptBody } from "./accept-body.ts";
import { guardPace, type Pace } from "./guard-pace.ts";

const mostBytes = 4 * 1024 * 1024;
const readRaw = express.raw({ type: () => true, limit: mostBytes, inflate: false });

/**
 * Most JSON values that a body is parsed for: as many as a schema within its length can hold, so that one with too many is
 * told of as a schema, and room for what else there is.
 */
export function mostValues({ maxSchemaBytes }: Pick<Limits, "maxSchemaBytes">): number {
  return Math.ceil(maxSchemaBytes / 2) + 10_000;
}

/**
 * The text of a JSON body, of at most 4 MiB, as it was sent. Throws invalid_request for one that is not UTF-8 or stands
 * still or trickles in, and what Express throws, marked with a 4xx `status`, for one that is too large or compressed.
 */
export async function readTextBody(deps: Pace, request: Request, response: Response): Promise<string> {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.get("content-type") ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Problem("invalid_request", "The body's charset is not UTF-8. Send JSON in UTF-8.");
  }
  acceptBody(response);
  const body = await readBytes(deps, request, response);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw new Problem("invalid_request", "The body is not UTF-8. Send JSON in UTF-8.", { cause });
  }
}

async function readBytes(deps: Pace, request: Request, response: Response): Promise<Buffer> {
  let pace: { stop(): void } | undefined;
  await new Promise<void>((resolve, reject) => {
    pace = guardPace(request, deps, reject);
    readRaw(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  }).finally(() => pace?.stop());
  // Without a body the reader leaves none.
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
