import { Refusal } from "../exit/refusal.ts";

/** A key that can stand in a header; whether it is one, the service knows. Throws unauthorised and does not repeat it. */
export function judgeKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]{1,500}$/.test(key)) return key;
  throw new Refusal("unauthorised", "That is no key. A key is one word; copy it whole and give it again.");
}
