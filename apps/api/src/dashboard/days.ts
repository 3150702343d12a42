const dayMs = 86_400_000;

/** Returns the day of a time in UTC, `YYYY-MM-DD`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Returns whether a text is a day, such as `2026-02-28`. */
export function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && dayOf(time) === text;
}

/** Returns the day that is some days after another. */
export function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * dayMs));
}

/** Returns all days from one to another. */
export function daysBetween(from: string, to: string): string[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => addDays(from, at));
}
