import { isDate } from "@hyperjump/json-schema-formats";

const timeParts =
  /^(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.\d+)?(?:z|(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))$/i;

/**
 * Returns whether a text is an RFC 3339 `full-time`. Second 60 is valid at the end of any UTC day. The library's own
 * check allows no leap second in a `time`, and in a `date-time` only those of past years.
 */
export function isTime(text: string): boolean {
  const parts = timeParts.exec(text)?.groups;
  if (!parts) return false;
  const read = (part: string) => Number(parts[part] ?? 0);
  const [hour, minute, second] = [read("hour"), read("minute"), read("second")];
  const [offsetHour, offsetMinute] = [read("offsetHour"), read("offsetMinute")];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const offset = (parts.sign === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const utcMinute = (hour * 60 + minute - offset + 2 * 1440) % 1440;
  return second < 60 || utcMinute === 1439;
}

/** Returns whether a text is an RFC 3339 `date-time`. */
export function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}
