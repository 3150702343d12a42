import type { VideoToJsonConnectionError } from "./video-to-json-connection-error.ts";
import type { VideoToJsonError } from "./video-to-json-error.ts";
import type { VideoToJsonParseError } from "./video-to-json-parse-error.ts";

// The same symbol in every copy of this package. `import` and `require` load one copy each, with different classes.
const brand = Symbol.for("video-to-json.error");

/** Marks the errors of a class, so that other copies of this package recognise them. */
export function markErrors(prototype: Error, name: string): void {
  Object.defineProperty(prototype, brand, { value: name });
}

function isMarked(error: unknown, name: string): boolean {
  return error instanceof Error && Reflect.get(error, brand) === name;
}

/**
 * Returns whether an error is a VideoToJsonError, of this or another copy of the package. `instanceof` knows only one
 * copy: an application that uses both `import` and `require`, or a bundle, may have two.
 *
 * @param error Any thrown value.
 * @returns Whether the service refused the request or the job failed.
 * @example
 * ```ts
 * catch (error) {
 *   if (isVideoToJsonError(error) && error.code === "out_of_minutes") return buyMinutes();
 *   throw error;
 * }
 * ```
 */
export function isVideoToJsonError(error: unknown): error is VideoToJsonError {
  return isMarked(error, "VideoToJsonError");
}

/**
 * Returns whether an error is a VideoToJsonConnectionError, of this or another copy of the package.
 *
 * @param error Any thrown value.
 * @returns Whether no answer of the service arrived.
 */
export function isVideoToJsonConnectionError(error: unknown): error is VideoToJsonConnectionError {
  return isMarked(error, "VideoToJsonConnectionError");
}

/**
 * Returns whether an error is a VideoToJsonParseError, of this or another copy of the package.
 *
 * @param error Any thrown value.
 * @returns Whether the schema of a validation library does not accept the data of an answer.
 */
export function isVideoToJsonParseError(error: unknown): error is VideoToJsonParseError {
  return isMarked(error, "VideoToJsonParseError");
}
