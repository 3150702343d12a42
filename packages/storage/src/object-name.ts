import { randomBytes } from "node:crypto";

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const key = new RegExp(`^${uuid}$`);
const fileName = new RegExp(`^(?<key>${uuid})(?<unfinished>\\.[0-9a-f]{16}\\.unfinished)?$`);

/** The file name of a finished object: its key, a UUID in lower case. Throws a TypeError for anything else. */
export function objectName(text: string): string {
  if (!key.test(text)) throw new TypeError("The key of an object is a UUID in lower case.");
  return text;
}

/** A new file name for an object while it is being put; no two attempts share one. */
export function unfinishedName(text: string): string {
  return `${objectName(text)}.${randomBytes(8).toString("hex")}.unfinished`;
}

/** Which object a file found in storage belongs to, and whether it is all of it; undefined for files not ours. */
export function readFileName(name: string): { key: string; complete: boolean } | undefined {
  const { key, unfinished } = fileName.exec(name)?.groups ?? {};
  return key === undefined ? undefined : { key, complete: unfinished === undefined };
}
