/** The expected result of measuring a file: its length within a tolerance, or an error code. */
export type Expectation =
  | { ok: true; durationMs: number; toleranceMs: number }
  | { ok: false; code: "media_unreadable" | "video_too_long" };

export const unreadable: Expectation = { ok: false, code: "media_unreadable" };
export const tooLong: Expectation = { ok: false, code: "video_too_long" };

/** Expects a length in seconds. */
export function lasts(seconds: number, toleranceMs = 150): Expectation {
  return { ok: true, durationMs: seconds * 1000, toleranceMs };
}
