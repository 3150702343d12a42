import { randomBytes } from "node:crypto";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const unfinished = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{16}\.unfinished$/;

/** The file name of a finished object: its key, a lower-case UUID. Throws a TypeError for anything else. */
export function objectName(key: string): string {
  if (!uuid.test(key)) throw new TypeError("The key of an object is a UUID in lower case.");
  return key;
}

/** A new file name for an object while it is being put; no two attempts share one. */
export function unfinishedName(key: string): string {
  return `${objectName(key)}.${randomBytes(8).toString("hex")}.unfinished`;
}

/** What a file name found in storage stands for; undefined for files that are not ours. */
export function kindOfName(name: string): "complete" | "unfinished" | undefined {
  if (uuid.test(name)) return "complete";
  return unfinished.test(name) ? "unfinished" : undefined;
}
