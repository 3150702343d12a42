import {
  type CompleteLists,
  completeLists,
  completeListsHeader,
  completeListsMeta,
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

/** An option of a request: its header, its member of the `_meta` of an MCP call, and its words. */
type WordOption<Word extends string> = { header: string; meta: string; words: readonly Word[] };

const secondLookOption = { header: secondLookHeader, meta: secondLookMeta, words: secondLooks };
const completeListsOption = { header: completeListsHeader, meta: completeListsMeta, words: completeLists };

/** The checks of an answer that a request chooses. The setting of the worker decides where one is undefined. */
type ChosenChecks = { secondLook: SecondLook | undefined; completeLists: CompleteLists | undefined };

/**
 * Returns the checks that the headers of a request choose (docs/decisions/0001, "Second look"). Throws invalid_request for
 * a word that an option does not have.
 */
export function checksOf(request: Request): ChosenChecks {
  const word = <Word extends string>({ header, words }: WordOption<Word>) => {
    const values = request.headersDistinct[header.toLowerCase()];
    return values && read(words, values.join(", ").trim(), `The header \`${header}\``);
  };
  return { secondLook: word(secondLookOption), completeLists: word(completeListsOption) };
}

/** Returns the checks that the `_meta` of an MCP call chooses. Throws like `checksOf`. */
export function checksInMeta(meta: Readonly<Record<string, unknown>>): ChosenChecks {
  const word = <Word extends string>({ meta: name, words }: WordOption<Word>) => {
    const value = meta[name] ?? undefined;
    return value === undefined ? undefined : read(words, value, `\`_meta["${name}"]\``);
  };
  return { secondLook: word(secondLookOption), completeLists: word(completeListsOption) };
}

function read<Word extends string>(known: readonly Word[], value: unknown, where: string): Word {
  const found = known.find((word) => word === value);
  if (found !== undefined) return found;
  const words = known.map((word) => `\`${word}\``).join(" or ");
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

/** The weight of the most specific of these ranges that the header names. */
function weightOf(ranges: readonly MediaRange[], types: readonly string[]): number {
  const named = types.find((type) => ranges.some((range) => range.type === type));
  return Math.max(0, ...ranges.filter(({ type }) => type === named).map(({ weight }) => weight));
}
