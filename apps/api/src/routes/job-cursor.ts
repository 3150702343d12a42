import { isUuid } from "@video-to-json/contract";
import type { JobPlace } from "@video-to-json/database";

/** Returns the cursor of the page that follows a job. Callers do not read it. */
export function writeJobCursor({ createdMicros, id }: JobPlace): string {
  return Buffer.from(`${createdMicros}.${id}`).toString("base64url");
}

/** Returns the place that a cursor names, or undefined for anything that is no cursor. */
export function readJobCursor(cursor: unknown): JobPlace | undefined {
  if (typeof cursor !== "string") return undefined;
  const [createdMicros = "", id = "", ...more] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  if (!/^\d{1,16}$/.test(createdMicros) || !isUuid(id) || more.length > 0) return undefined;
  return { createdMicros, id };
}
