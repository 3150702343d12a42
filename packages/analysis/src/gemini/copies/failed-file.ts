import type { GeminiFile } from "./gemini-file.ts";

/** Codes (google.rpc and HTTP) of errors inside the provider, and of errors in its input. */
const providerCodes = new Set([1, 2, 4, 8, 10, 13, 14, 429, 500, 503, 504]);
const inputCodes = new Set([3, 9, 11, 400, 415, 422]);
const aboutMedia =
  /unsupported|codec|corrupt|malformed|unreadable|damaged|decod|demux|not a (valid )?video|no (video|frames)|invalid (video|media|file)|format/i;

/** Returns why the processing of a copy failed; `unknown` when Gemini does not say. */
export function causeOfFailure(error: GeminiFile["error"]): "media" | "provider" | "unknown" {
  if (!error) return "unknown";
  if (aboutMedia.test(error.message)) return "media";
  if (error.code !== null && inputCodes.has(error.code)) return "media";
  return error.code !== null && providerCodes.has(error.code) ? "provider" : "unknown";
}
