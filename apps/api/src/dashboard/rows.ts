import { clipMember, Problem, type ProblemCode } from "@video-to-json/contract";
import type { LedgerEntry as Entry } from "@video-to-json/contract/dashboard/account";
import type { ListedJob } from "@video-to-json/contract/dashboard/jobs";
import type { FoundJob } from "@video-to-json/database";
import type { LedgerEntry } from "@video-to-json/database/money";

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

/** Returns a row of the ledger as the page reads it. */
export function toEntry({ id, kind, seconds, balanceAfter, jobId, reference, createdAt }: LedgerEntry): Entry {
  return {
    id,
    kind,
    seconds,
    balance_after: balanceAfter,
    job_id: jobId,
    note: noteOf(reference),
    created_at: createdAt.toISOString(),
  };
}

/** The reference of the free grant is the hash of an address. */
function noteOf(reference: string | null): string | null {
  return reference?.startsWith("free:") ? "Free minutes" : reference;
}

/** Returns a job of a list as the page reads it. */
export function toListedJob(row: FoundJob): ListedJob {
  return {
    id: row.id,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    clip: clipMember(row),
    detail: row.detail ?? "standard",
    video: row.durationMs === null ? null : { duration_seconds: row.durationMs / 1000 },
    billed_seconds: row.billedSeconds,
    model: row.model,
    error: row.errorText === null ? null : { code: (JSON.parse(row.errorText) as { code: ProblemCode }).code },
    title: row.title,
    key: keyOf(row),
  };
}

/** Returns the key of a job; null for a job of the playground. A deleted key has no name any more. */
export function keyOf(row: { keyId: string | null; keyName: string | null; keyDisplay: string | null }) {
  return row.keyId === null ? null : { id: row.keyId, name: row.keyName ?? "", display: row.keyDisplay ?? "" };
}

const maxLimit = 100;
const defaultLimit = 50;

/** Returns how many entries a page may have, from the parameter `limit` of a query. Throws invalid_request. */
export function pageLimit(limit: unknown): number {
  if (limit === undefined) return defaultLimit;
  const count = typeof limit === "string" && /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > maxLimit) throw wrongParameter("limit", `a whole number from 1 to ${maxLimit}`);
  return count;
}

/** Returns the problem for an invalid parameter of a query. */
export function wrongParameter(name: string, expected: string): Problem {
  return new Problem("invalid_request", { reason: `\`${name}\` is wrong. Send ${expected}, once.` });
}

/** What the message for an invalid cursor asks for. */
export const aCursor = "`next_cursor` of an earlier response, unchanged";
