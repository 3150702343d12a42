import { createHash } from "node:crypto";
import type { Call } from "../load/call.ts";
import type { Evidence } from "./evidence.ts";
import { jobsIn, type Row } from "./records.ts";

/** What the rules of columns compare with: the calls of the run, and the rows that refer to each other. */
export type Facts = ReturnType<typeof factsOf>;

/** Gathers the facts. Calls come first; rows are looked up only by what calls sent or other rows name. */
export function factsOf(evidence: Evidence) {
  const { calls, records, deleted, filesUrl } = evidence;
  const rows = (table: string): readonly Row[] => records.tables[table] ?? [];
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  const hashes = new Map(calls.map((call) => [call.marker, requestHashOf(call, filesUrl)]));
  const jobs = new Map(
    jobsIn(records).map((job) => {
      const call = callsByMarker.get(deleted.get(job.id) ?? job.marker);
      return [job.id, { ...job, call, hash: hashes.get(call?.marker ?? "") ?? "" }];
    }),
  );
  const ledger = rows("ledger").toSorted((a, b) => Number(a.id) - Number(b.id));
  const accounts = new Map(rows("accounts").map((row) => [row.id ?? "", row]));
  const keys = new Map(rows("api_keys").map((row) => [row.sha256?.slice(2) ?? "", row]));
  const keyIds = new Map(rows("api_keys").map((row) => [row.id ?? "", row]));
  const issued = new Map(evidence.issued.map((account) => [account.email, account]));
  const issuedKeys = new Map(evidence.issued.map((account) => [sha256(account.key), account]));
  const emails = new Map([...issued.keys()].map((email) => [sha256(email), email]));
  const usage = new Map<string, { seconds: number; jobs: number }>();
  const debits = ledger.filter(({ kind }) => kind === "debit");
  for (const { account_id, job_id, seconds, created_at } of debits) {
    const key = rows("jobs").find(({ id }) => id === job_id)?.key_id ?? null;
    const name = usageName(account_id, key, new Date(Number(created_at)).toISOString().slice(0, 10));
    const sum = usage.get(name) ?? { seconds: 0, jobs: 0 };
    usage.set(name, { seconds: sum.seconds - Number(seconds), jobs: sum.jobs + 1 });
  }
  return {
    ...evidence,
    ...{ rows, jobs, ledger, accounts, keys, keyIds, emails, issued, issuedKeys, usage, hashes },
    callsByKey: new Map(calls.flatMap((call) => (call.idempotencyKey ? [[call.idempotencyKey, call] as const] : []))),
    debits: Map.groupBy(debits, ({ job_id }) => job_id ?? ""),
    holds: Map.groupBy(rows("holds"), ({ job_id }) => job_id ?? ""),
    jobsByMarker: Map.groupBy(jobs.values(), ({ call, marker }) => call?.marker ?? marker),
    /** The jobs that answers name. */
    told: new Set(
      calls.flatMap(({ attempts }) =>
        attempts.flatMap(({ outcome }) => (outcome.is === "answered" && outcome.jobId ? [outcome.jobId] : [])),
      ),
    ),
  };
}

/** A job with the call that asked for it. */
export type KnownJob = Facts["jobs"] extends ReadonlyMap<string, infer T> ? T : never;

/** Returns the name of the usage of a key on a day. */
export function usageName(account: string | null | undefined, key: string | null | undefined, day: string): string {
  return `account ${account}, key ${key}, ${day}`;
}

export function accountOf({ issued, accounts: all }: Facts, email: string | undefined): string | undefined {
  return issued.get(email ?? "")?.id ?? [...all.values()].find((row) => row.email === email)?.id ?? undefined;
}

/** Returns the URL that a call sends; undefined for an upload. */
export function urlOf({ entryPoint, urlPath }: Call, filesUrl: string): string | undefined {
  return entryPoint === "upload" ? undefined : `${filesUrl}${urlPath}`;
}

/** Computes the hash of a request as docs/decisions/0001 defines it, independently of the product's code. */
function requestHashOf(call: Call, filesUrl: string): string {
  const { shape, marker, video, extras = [], clip, detail } = call;
  const url = urlOf(call, filesUrl);
  const source = url === undefined ? ["upload", sha256(video.bytes)] : ["url", url];
  const options = [
    ...(clip ? [{ clip: { startSeconds: clip.startSeconds, endSeconds: clip.endSeconds } }] : []),
    ...(detail ? [{ detail }] : []),
    ...(extras.includes("extract-evidence") ? ["evidence"] : []),
    ...(extras.includes("second-look") ? ["second-look times"] : []),
  ];
  return sha256(JSON.stringify([shape.compactText ?? shape.schemaText, marker, ...source, ...options]));
}

export function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Returns the total time of outages between two moments. No job can finish while the database is unavailable. */
export function outageMs(outages: Evidence["outages"], from: number, until: number): number {
  let sum = 0;
  let counted = from;
  for (const { at, overAt } of outages.toSorted((a, b) => a.at - b.at)) {
    const span = Math.min(overAt, until) - Math.max(at, counted);
    if (span <= 0) continue;
    sum += span;
    counted = overAt;
  }
  return sum;
}
