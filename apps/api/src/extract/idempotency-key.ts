import { idempotencyKeyPattern, Problem } from "@video-to-json/contract";
import type { Request } from "express";

/** Returns the request's `Idempotency-Key`, or undefined. Throws invalid_request for a malformed or a second one. */
export function idempotencyKeyOf(request: Request): string | undefined {
  const [key, ...more] = request.headersDistinct["idempotency-key"] ?? [];
  if (key === undefined) return undefined;
  if (more.length > 0) {
    throw new Problem("invalid_request", { reason: "The request has two Idempotency-Keys. Send one." });
  }
  if (!idempotencyKeyPattern.test(key)) {
    throw new Problem("invalid_request", {
      reason: "The Idempotency-Key is not 1 to 255 printable ASCII characters. Send another.",
    });
  }
  return key;
}
