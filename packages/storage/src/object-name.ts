import { randomBytes } from "node:crypto";
import { isUuid } from "@video-to-json/contract";

const fileName = /^(?<key>[^.]+)(?<unfinished>\.[0-9a-f]{16}\.unfinished)?$/;

/** The file name of a finished object: its key, a UUID in lower case. Throws a TypeError for anything else. */
export function objectName(text: string): string {
  if (!isKey(text)) throw new TypeError("The key of an object is a UUID in lower case.");
  return text;
}

/** A new file name for an object while it is being put; no two attempts share one. */
export function unfinishedName(text: string): string {
  return `${objectName(text)}.${randomBytes(8).toString("hex")}.unfinished`;
}

/** Which object a file found in storage belongs to, and whether it is all of it; undefined for files not ours. */
export function readFileName(name: string): { key: string; complete: boolean } | undefined {
  const { key, unfinished } = fileName.exec(name)?.groups ?? {};
  return key !== undefined && isKey(key) ? { key, complete: unfinished === undefined } : undefined;
}

function isKey(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}
