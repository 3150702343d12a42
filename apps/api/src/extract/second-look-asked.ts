import { Problem, type SecondLook, secondLookHeader, secondLookMeta, secondLooks } from "@video-to-json/contract";
import type { Request } from "express";

/**
 * Returns whether the header of a request turns the second look on or off, or undefined without the header
 * (docs/decisions/0001, "Second look"). Throws invalid_request for any other value.
 */
export function secondLookOf(request: Request): SecondLook | undefined {
  const values = request.headersDistinct[secondLookHeader.toLowerCase()];
  return values && read(values.join(", ").trim(), `The header \`${secondLookHeader}\``);
}

/** Returns whether the `_meta` of an MCP call turns the second look on or off. Throws like `secondLookOf`. */
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
