import { CommandError } from "../exit/command-error.ts";

/** Returns a key that fits in a header. Throws unauthorised, without the key. The service checks whether it is live. */
export function validateKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]{1,500}$/.test(key)) return key;
  throw new CommandError(
    "unauthorised",
    "This is not an API key. Copy the whole key, which is one word, and try again.",
  );
}
