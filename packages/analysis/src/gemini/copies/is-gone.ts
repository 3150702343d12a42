import { refusalOf } from "../questions/refusal.ts";
import type { GeminiError } from "../wire/gemini-error.ts";

/**
 * Returns whether the error of a request for a copy means that the copy does not exist. Gemini answers the same 403 for
 * a missing file and for a file of another project. A 403 that does not mention the file is about the key, or from a
 * proxy.
 */
export function isGone(error: GeminiError): boolean {
  if (error.status === 404) return true;
  return error.status === 403 && refusalOf(error, false) === "file-gone";
}
