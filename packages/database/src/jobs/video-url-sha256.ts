import { createHash } from "node:crypto";

/** Returns the SHA-256 of a video's URL. With it, the account finds the job after the URL itself was deleted. */
export function videoUrlSha256(url: string): Buffer {
  return createHash("sha256").update(url).digest();
}
