import { evidenceHeader, evidenceMeta, evidenceValue, Problem } from "@video-to-json/contract";
import type { Request } from "express";

/**
 * Returns whether a request asks for evidence, by its header (docs/decisions/0001, "Evidence"). Throws invalid_request
 * for any other value than the allowed one.
 */
export function asksForEvidence(request: Request): boolean {
  const values = request.headersDistinct[evidenceHeader.toLowerCase()];
  if (values === undefined) return false;
  return isAsked(values.join(", ").trim(), `The header \`${evidenceHeader}\``);
}

/** Returns whether the `_meta` of an MCP call asks for evidence. Throws invalid_request as `asksForEvidence` does. */
export function metaAsksForEvidence(meta: Readonly<Record<string, unknown>>): boolean {
  const value = meta[evidenceMeta];
  return value !== undefined && value !== null && isAsked(value, `\`_meta["${evidenceMeta}"]\``);
}

function isAsked(value: unknown, where: string): true {
  if (value === evidenceValue) return true;
  throw new Problem("invalid_request", {
    reason: `${where} is not \`${evidenceValue}\`. Send \`${evidenceValue}\` for evidence of each field, or leave it out.`,
  });
}
