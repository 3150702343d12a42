/** What a timestamp of an answer looks like: `MM:SS`. No video is an hour long (specification, "Schema input", rule 6). */
export const timestampPattern = "^[0-5][0-9]:[0-5][0-9]$";

/**
 * A time as models write it, as `MM:SS`, or undefined where that would lose something or the text is no time: `0:05`,
 * `5:3`, `00:00:05` and `00:05.0` lose nothing; `1:00:05`, `00:05.4` and a bare number of seconds do, or are guesses.
 */
export function toTimestamp(text: string): string | undefined {
  const parts = /^(?:0{1,2}:)?([0-5]?\d):([0-5]?\d)(?:[.,]0+)?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, minutes = "", seconds = ""] = parts;
  return `${minutes.padStart(2, "0")}:${seconds.padStart(2, "0")}`;
}

/** The seconds from the start of the video that an `MM:SS` says, or undefined when the text is not one. */
export function timestampSeconds(text: string): number | undefined {
  const parts = /^([0-5]\d):([0-5]\d)$/.exec(text);
  return parts ? Number(parts[1]) * 60 + Number(parts[2]) : undefined;
}
