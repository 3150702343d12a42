const dateTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });

/** Returns seconds as minutes in words: `90` is "1.5 min". */
export function minutesText(seconds: number): string {
  return `${number.format(seconds / 60)} min`;
}

/** Returns a whole number with separated thousands: "12,480". */
export function countText(count: number): string {
  return number.format(count);
}

/** Formats a duration in milliseconds for people: "480 ms", "12.5 s", "3 min 20 s". */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${number.format(seconds)} s`;
  const rounded = Math.round(seconds);
  const rest = rounded % 60;
  return rest === 0 ? `${Math.floor(rounded / 60)} min` : `${Math.floor(rounded / 60)} min ${rest} s`;
}

/** Returns the time of an RFC 3339 text in the reader's time zone: "22 Nov 2026, 08:30". */
export function dateTimeText(iso: string): string {
  return dateTime.format(new Date(iso));
}

/** Returns the day of an RFC 3339 text in the reader's time zone: "22 Nov 2026". */
export function dateText(iso: string): string {
  return date.format(new Date(iso));
}

const utcDate = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Returns the last day (UTC) before an end. An end at midnight belongs to the day before. */
export function lastDayText(end: string): string {
  return utcDate.format(new Date(Date.parse(end) - 1));
}

/** Returns how long ago a time was: "just now", "5 min ago", "3 h ago". From a week on, returns its date. */
export function agoText(iso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  if (days < 7) return days === 1 ? "yesterday" : `${days} days ago`;
  return dateText(iso);
}

/** Formats a size in bytes for people: "812 kB", "12.4 MB". */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${number.format(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${number.format(bytes / 1e6)} MB` : `${number.format(bytes / 1e9)} GB`;
}

/** Returns a number with its noun: "1 job", "3 jobs". */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns what the second look found, without the zeros: `5 confirmed, 1 moved`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return found.map(([verdict, count]) => `${count} ${verdict.replaceAll("_", " ")}`).join(", ") || "no times";
}
