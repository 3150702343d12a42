import { Problem, type SecondLook, secondLookHeader, secondLookMeta, secondLooks } from "@video-to-json/contract";
import type { Request } from "express";

/**
 * Returns what the header of a request says about the second look, or undefined (docs/decisions/0001, "Second look").
 * Throws invalid_request for any other value.
 */
export function secondLookOf(request: Request): SecondLook | undefined {
  const values = request.headersDistinct[secondLookHeader.toLowerCase()];
  return values && read(values.join(", ").trim(), `The header \`${secondLookHeader}\``);
}

/** Returns what the `_meta` of an MCP call says about the second look. Throws as `secondLookOf` does. */
export function secondLookInMeta(meta: Readonly<Record<string, unknown>>): SecondLook | undefined {
  const value = meta[secondLookMeta] ?? undefined;
  return value === undefined ? undefined : read(value, `\`_meta["${secondLookMeta}"]\``);
}

function read(value: unknown, where: string): SecondLook {
  const found = secondLooks.find((known) => known === value);
  if (found !== undefined) return found;
  const words = secondLooks.map((word) => `\`${word}\``).join(" or ");
  throw new Problem("invalid_request", { reason: `${where} is not ${words}. Send one of them, or leave it out.` });
}
