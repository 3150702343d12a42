import type { RemoteFile } from "./remote-file.ts";

/** Codes (google.rpc and HTTP) by which the service blames itself, and by which it blames what it was given. */
const ownCodes = new Set([1, 2, 4, 8, 10, 13, 14, 429, 500, 503, 504]);
const inputCodes = new Set([3, 9, 11, 400, 415, 422]);
const aboutMedia =
  /unsupported|codec|corrupt|malformed|unreadable|damaged|decod|demux|not a (valid )?video|no (video|frames)|invalid (video|media|file)|format/i;

/** Whose fault it is that a copy turned FAILED; `unknown` when the service does not say. */
export function failedFor(error: RemoteFile["error"]): "media" | "service" | "unknown" {
  if (!error) return "unknown";
  if (aboutMedia.test(error.message)) return "media";
  if (error.code !== null && inputCodes.has(error.code)) return "media";
  return error.code !== null && ownCodes.has(error.code) ? "service" : "unknown";
}
