import {
  evidenceHeader,
  evidenceMeta,
  evidenceValue,
  idempotencyKeyPattern,
  Problem,
  type SecondLook,
  secondLookHeader,
  secondLookMeta,
  secondLooks,
} from "@video-to-json/contract";
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

/** Returns whether a request prefers to be refused for a doubt about its schema (RFC 7240, "handling"). */
export function prefersStrict(request: Request): boolean {
  const preferences = (request.headersDistinct.prefer ?? []).flatMap((text) => parts(text, ","));
  const handling = preferences
    .map((text) => text.split(";")[0]?.trim() ?? "")
    .find((text) => /^handling\s*=/i.test(text));
  return /^handling\s*=\s*"?strict"?$/i.test(handling ?? "");
}

/** Returns the media type of a request's body. Throws invalid_request for a type that extractions do not take. */
export function bodyTypeOf(request: Request): "multipart/form-data" | "application/json" {
  const type = request.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data" || type === "application/json") return type;
  throw new Problem("invalid_request", {
    reason: "The content type is neither multipart/form-data nor application/json. Send one of the two.",
  });
}

const eventStream = "text/event-stream";
const json = "application/json";

/** Commas and semicolons within quotes separate nothing. */
const parts = (text: string, separator: "," | ";") =>
  text.match(new RegExp(`(?:"(?:[^"\\\\]|\\\\.)*"?|[^"${separator}])+`, "g")) ?? [];

type MediaRange = { type: string; weight: number };

/**
 * Returns whether an `Accept` header asks for a stream of events: it names `text/event-stream`, and gives JSON no higher
 * weight (docs/decisions/0001, "Held calls"; RFC 9110, section 12.5.1).
 */
export function acceptsEventStream(accept: string | undefined): boolean {
  const ranges = parts(accept ?? "", ",").map(rangeOf);
  const weight = weightOf(ranges, [eventStream]);
  return weight > 0 && weight >= weightOf(ranges, [json, "application/*", "*/*"]);
}

function rangeOf(text: string): MediaRange {
  const [type = "", ...parameters] = parts(text, ";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "");
  return { type, weight: weight === undefined ? 1 : Math.min(Math.max(Number(weight), 0), 1) || 0 };
}

/** The weight of the first of these ranges that the header names: the most specific one counts. */
function weightOf(ranges: readonly MediaRange[], types: readonly string[]): number {
  const named = types.find((type) => ranges.some((range) => range.type === type));
  return Math.max(0, ...ranges.filter(({ type }) => type === named).map(({ weight }) => weight));
}
