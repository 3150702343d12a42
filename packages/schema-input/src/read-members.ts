import { isJsonObject, Problem } from "@video-to-json/contract";
import { JsonError, parseJson } from "./json/json-error.ts";
import { endOfString, hasMoreValuesThan, stringValue, trimSpace } from "./json/scan.ts";
import { shorten, wellFormed } from "./json/well-formed.ts";

/** A member of a request's body: the text of its value as sent, and the value. */
export type RawMember = { raw: string; value: unknown };

type Bounds = {
  /** Most JSON values, containers included; a text with more is refused before any of it is parsed. */
  maxValues: number;
};

/**
 * The members of a JSON request body by name, each with the text of its value as it was sent, because a schema's meaning
 * is in how it is written (docs/decisions/0001, "Schema input"). `__proto__` is a name like any other. Of a member that
 * was read before, its own members: nothing is parsed again.
 * Uses no recursion: a body of any depth is read.
 * Throws `invalid_request` unless it is one JSON object without repeated names and within bounds.
 */
export function readMembers(from: string | RawMember, bounds?: Bounds): Map<string, RawMember> {
  const { raw: text, value: object } = typeof from === "string" ? parseBody(from, bounds) : from;
  if (!isJsonObject(object)) {
    throw new Problem("invalid_request", {
      reason: "The body is not a JSON object. Send one with `video_url` and `schema`.",
    });
  }
  const members = new Map<string, RawMember>();
  for (const { name, raw } of splitMembers(text)) {
    if (members.has(name)) {
      throw new Problem("invalid_request", {
        reason: `The body has the field \`${wellFormed(shorten(name, 60))}\` twice. Send each field once.`,
      });
    }
    members.set(name, { raw, value: object[name] });
  }
  return members;
}

function parseBody(text: string, { maxValues }: Bounds = { maxValues: Number.POSITIVE_INFINITY }): RawMember {
  if (hasMoreValuesThan(text, maxValues)) {
    throw new Problem("invalid_request", { reason: `The body has more than ${maxValues} JSON values. Send fewer.` });
  }
  const raw = trimSpace(text.replace(/^\uFEFF/, ""));
  try {
    return { raw, value: parseJson(raw) };
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new Problem(
      "invalid_request",
      { reason: `The body is not valid JSON: ${wellFormed(cause.message)}. Send one JSON object.` },
      {
        cause,
      },
    );
  }
}

function* splitMembers(text: string): Generator<{ name: string; raw: string }> {
  let depth = 0;
  let name: string | undefined;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at);
        if (depth === 1 && name === undefined) {
          name = stringValue(text.slice(at, end));
          from = text.indexOf(":", end) + 1;
          at = from - 1;
        } else {
          at = end - 1;
        }
        break;
      }
      case "{":
      case "[":
        depth++;
        break;
      case "}":
      case "]":
        depth--;
        if (depth > 0 || name === undefined) break;
        yield { name, raw: trimSpace(text.slice(from, at)) };
        break;
      case ",":
        if (depth > 1 || name === undefined) break;
        yield { name, raw: trimSpace(text.slice(from, at)) };
        name = undefined;
        break;
    }
  }
}
