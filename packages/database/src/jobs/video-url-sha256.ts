import { createHash } from "node:crypto";

/** Returns the SHA-256 of a video's URL, by which its account finds the job when the URL itself is deleted. */
export function videoUrlSha256(url: string): Buffer {
  return createHash("sha256").update(url).digest();
}
