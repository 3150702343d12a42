/** The form of a timestamp: `MM:SS`. Times of a video are in its first hour (specification, "Schema input"). */
export const timestampPattern = "^[0-5][0-9]:[0-5][0-9]$";

/** Returns the seconds from the start of the video of an `MM:SS`, or undefined for any other text. */
export function timestampSeconds(text: string): number | undefined {
  const parts = /^([0-5]\d):([0-5]\d)$/.exec(text);
  return parts ? Number(parts[1]) * 60 + Number(parts[2]) : undefined;
}

/** Returns a time as `MM:SS`, rounded down to the whole second. */
export function timestampText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}
