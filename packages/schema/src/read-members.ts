import { isJsonObject, Problem } from "@video-to-json/contract";
import { endOfString, hasMoreValuesThan, stringValue, trimSpace } from "./json/scan.ts";
import { JsonError, parseJson, shorten, wellFormed } from "./json/texts.ts";

/** A member of a request's body. `raw` is the text of its value as the caller sent it. */
export type RawMember = { raw: string; value: unknown };

type Bounds = {
  /** The largest number of JSON values, including containers. A text with more is refused before it is parsed. */
  maxValues: number;
};

/**
 * Returns the members of a JSON request body by name. Each contains the text of its value, because parsing would lose
 * parts of a schema's meaning (docs/decisions/0001, "Schema input"). `from` is the body, or a member of an earlier
 * call, which is not parsed again. `__proto__` is an ordinary name. It does not recurse, so it reads bodies of any
 * depth. Throws `invalid_request` when the body is not one JSON object, repeats a name, or exceeds the bounds.
 *
 * @example readMembers('{"schema": {"a": 1.0}}').get("schema")?.raw === '{"a": 1.0}'
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
      { reason: `The body is not valid JSON at ${wellFormed(cause.message)}. Send one JSON object.` },
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
