import { Problem } from "@video-to-json/contract";
import { JsonFault, judgeSyntax } from "./json/fault.ts";
import { endOfString, trimSpace } from "./json/scan.ts";
import { shorten, wellFormed } from "./json/well-formed.ts";

/** A member of a request's body: the text of its value as sent, and the value. */
export type RawMember = { raw: string; value: unknown };

/**
 * The members of a JSON request body by name, each with the text of its value as it was sent, because a schema's meaning
 * is in how it is written (docs/decisions/0001, "Schema input"). `__proto__` is a name like any other.
 * Uses no recursion: a body of any depth is read.
 * Throws `invalid_request` unless the text is one JSON object without repeated names.
 */
export function readMembers(text: string): Map<string, RawMember> {
  const members = new Map<string, RawMember>();
  for (const { name, raw } of splitMembers(judged(text))) {
    if (members.has(name)) {
      throw new Problem(
        "invalid_request",
        `The body has the field \`${wellFormed(shorten(name, 60))}\` twice. Send each field once.`,
      );
    }
    members.set(name, { raw, value: JSON.parse(raw) });
  }
  return members;
}

function judged(text: string): string {
  const body = trimSpace(text.replace(/^\uFEFF/, ""));
  try {
    judgeSyntax(body);
  } catch (cause) {
    if (!(cause instanceof JsonFault)) throw cause;
    throw new Problem(
      "invalid_request",
      `The body is not valid JSON: ${wellFormed(cause.message)}. Send one JSON object.`,
      {
        cause,
      },
    );
  }
  if (!body.startsWith("{")) {
    throw new Problem("invalid_request", "The body is not a JSON object. Send one with `video_url` and `schema`.");
  }
  return body;
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
          name = JSON.parse(text.slice(at, end)) as string;
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
