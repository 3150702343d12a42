import { isUuid } from "@video-to-json/contract";
import type { JobPlace } from "@video-to-json/database";

/** Returns the cursor of the page that follows a job. It is opaque to callers. */
export function writeJobCursor({ createdMicros, id }: JobPlace): string {
  return Buffer.from(`${createdMicros}.${id}`).toString("base64url");
}

/** Returns the job that a cursor names, or undefined for any other text. */
export function readJobCursor(cursor: unknown): JobPlace | undefined {
  if (typeof cursor !== "string") return undefined;
  const [createdMicros = "", id = "", ...more] = Buffer.from(cursor, "base64url").toString("latin1").split(".");
  if (!/^\d{1,16}$/.test(createdMicros) || !isUuid(id) || more.length > 0) return undefined;
  return { createdMicros, id };
}
