const pattern = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)$/;

/** Returns the seconds of a time such as "01:12" or "1:00:05", or undefined for other texts. */
export function secondsOf(text: string): number | undefined {
  const [, hours = "0", minutes, seconds] = pattern.exec(text) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** Returns seconds as a time of the video: "00:05", "12:40". A fraction is cut off. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(Math.floor(whole / 60))}:${two(whole % 60)}`;
}
