/**
 * Returns a model's time as `MM:SS`. `0:05`, `5:3`, `00:00:05` and `00:05.0` lose nothing. Returns undefined if the
 * conversion would lose something or would be a guess, as for `1:00:05`, `00:05.4` and a bare number of seconds.
 */
export function toTimestamp(text: string): string | undefined {
  const parts = /^(?:0{1,2}:)?([0-5]?\d):([0-5]?\d)(?:[.,]0+)?$/.exec(text.trim());
  if (!parts) return undefined;
  const [, minutes = "", seconds = ""] = parts;
  return `${minutes.padStart(2, "0")}:${seconds.padStart(2, "0")}`;
}
