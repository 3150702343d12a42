import { randomBytes } from "node:crypto";
import { isKey, requireKey } from "../object-key.ts";

const fileName = /^(?<key>[^.]+)(?<unfinished>\.[0-9a-f]{16}\.unfinished)?$/;

/** Returns the file name of a complete object, which is its key. Throws a TypeError for an invalid key. */
export function objectName(key: string): string {
  return requireKey(key);
}

/** Returns a new file name for an object that is being put. Names of two puts always differ. */
export function unfinishedName(key: string): string {
  return `${requireKey(key)}.${randomBytes(8).toString("hex")}.unfinished`;
}

/** Returns which object a file belongs to and whether it is complete. Returns undefined for a foreign file. */
export function readFileName(name: string): { key: string; complete: boolean } | undefined {
  const { key, unfinished } = fileName.exec(name)?.groups ?? {};
  return key !== undefined && isKey(key) ? { key, complete: unfinished === undefined } : undefined;
}
