import { createHash } from "node:crypto";

/**
 * Puts text from others between two marks that it cannot contain. The marks contain the hash of the text, so to close
 * the fence, the text would have to contain its own hash.
 */
export function fence(label: string, text: string): string {
  const mark = `${label}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
  return `<${mark}>\n${text}\n</${mark}>`;
}
