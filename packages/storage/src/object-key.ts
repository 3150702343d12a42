import { isUuid } from "@video-to-json/contract";

/** Returns the key. Throws a TypeError for an invalid key. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new TypeError("The key of an object must be a UUID in lower case.");
  return key;
}

/** Returns whether the text can be the key of an object. */
export function isKey(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}
