import type { KeyRecord } from "@video-to-json/contract/dashboard/keys";

/** The state of a key in one word. `limited`: its monthly limit is used up, so it extracts nothing more this month. */
export type KeyState = "live" | "limited" | "ended" | "revoked";

/** Returns the state of a key at a time in milliseconds since 1970. A job costs `minimumSeconds` at least. */
export function keyState(record: KeyRecord, now: number, minimumSeconds: number): KeyState {
  if (record.state === "revoked") return "revoked";
  if (record.state === "ended" || (record.ends_at !== null && Date.parse(record.ends_at) <= now)) return "ended";
  const { monthly_limit_minutes: limit, month_seconds: spent } = record;
  return limit !== null && spent + minimumSeconds > limit * 60 ? "limited" : "live";
}

/** Returns the end of a day `YYYY-MM-DD` in UTC. A key with this end date stops working then. */
export function endOfDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString();
}

/** Returns the last day `YYYY-MM-DD` in UTC on which a key with this end works. */
export function lastDay(endsAt: string): string {
  return new Date(Date.parse(endsAt) - 1).toISOString().slice(0, 10);
}
