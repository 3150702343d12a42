import { createHash } from "node:crypto";

/**
 * Puts a text that others wrote between two marks which it cannot contain: the marks carry the text's own hash, so to
 * close the fence from inside, a text would have to hold its own hash.
 */
export function fence(label: string, text: string): string {
  const mark = `${label}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
  return `<${mark}>\n${text}\n</${mark}>`;
}
