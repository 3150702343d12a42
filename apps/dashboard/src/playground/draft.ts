import { signedInAccount } from "../app/session-hint.ts";
import type { Review } from "../evidence/review.ts";
import type { Extraction } from "./send-extraction.ts";

/** What a user wrote for the next run, and the address of the page where he wrote it. */
export type Draft = Pick<Extraction, "schema" | "instructions" | "look" | "evidence"> & { readonly at: string };

/** Returns the draft of an account in this browser. */
export function readDraft(account: string): Draft | undefined {
  return read(() => localStorage, `draft ${account}`);
}

/** Keeps a draft beyond reloads, sessions and restarts of the browser. */
export function saveDraft(account: string, draft: Draft): void {
  write(() => localStorage, `draft ${account}`, draft);
}

/** Returns the review of an answer in this browser. */
export function readReview(jobId: string): Review {
  return read<Review>(() => localStorage, `review ${signedInAccount()} ${jobId}`) ?? {};
}

/** Keeps a review beyond reloads and restarts of the browser. */
export function saveReview(jobId: string, review: Review): void {
  write(() => localStorage, `review ${signedInAccount()} ${jobId}`, review);
}

/** Deletes draft and reviews of the signed-in account, so that somebody who leaves a browser leaves nothing in it. */
export function forgetDraft(): void {
  const account = signedInAccount();
  write(() => localStorage, `draft ${account}`, null);
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(`review ${account} `));
    for (const name of names) localStorage.removeItem(name);
  } catch {
    // Without storage there is nothing to delete, and signing out must continue.
  }
}

/** A request whose job is not known yet. */
type OpenRun = { readonly key: string; readonly request: string };

/** Returns the idempotency key of the run that this tab sent last, if it does not know its job. */
export function openRunKey(account: string): string | undefined {
  return read<OpenRun>(() => sessionStorage, `run ${account}`)?.key;
}

/** Returns the idempotency key of a run. The same request again gets the same key until `endRun`, so it is charged once. */
export function keyOfRun(account: string, { video, ...rest }: Extraction): string {
  const source = video.kind === "url" ? video.url : [video.file.name, video.file.size, video.file.lastModified];
  const request = JSON.stringify({ ...rest, source });
  const open = read<OpenRun>(() => sessionStorage, `run ${account}`);
  const key = open?.request === request ? open.key : crypto.randomUUID();
  write(() => sessionStorage, `run ${account}`, { key, request } satisfies OpenRun);
  return key;
}

/** Forgets the key of the last run, because its job is known. */
export function endRun(account: string): void {
  write(() => sessionStorage, `run ${account}`, null);
}

function read<Value>(storage: () => Storage, name: string): Value | undefined {
  try {
    return (JSON.parse(storage().getItem(name) ?? "null") as Value | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(storage: () => Storage, name: string, value: unknown): void {
  try {
    storage().setItem(name, JSON.stringify(value));
  } catch {
    // Without storage, or if it is full, the page works as before but keeps nothing.
  }
}
