import { VideoToJsonConnectionError, VideoToJsonError } from "video-to-json";

/** Returns a text for the user about a failed extraction. Programs decide by the error's code, not by its message. */
export function explain(error: unknown): string {
  if (error instanceof VideoToJsonConnectionError) return error.message;
  if (!(error instanceof VideoToJsonError)) return String(error);
  switch (error.code) {
    case "out_of_minutes":
      return "The account has too few minutes left for this video.";
    case "schema_invalid":
    case "extraction_failed":
      return [error.message, ...(error.details ?? [])].join("\n  ");
    default:
      return `${error.code}: ${error.message}`;
  }
}
