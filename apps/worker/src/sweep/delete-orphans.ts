import { type Db, findJobStates } from "@video-to-json/database";
import type { Storage } from "@video-to-json/storage";
import { deleteDeadScratch, deleteScratch, listScratch } from "../pipeline/scratch.ts";

type StorageDeps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "list" | "delete">;
  /** An upload moves at least every so often, and is admitted at once when it is complete: older ones are orphans. */
  readonly orphanUploadSeconds: number;
};

/** Deletes uploads that no open job waits for: of callers and APIs that went away. Gives how many. */
export async function deleteOrphanUploads({ db, storage, orphanUploadSeconds }: StorageDeps): Promise<number> {
  const old: string[] = [];
  for await (const { key, modifiedAt } of storage.list()) {
    if (Date.now() - modifiedAt.getTime() > orphanUploadSeconds * 1000) old.push(key);
  }
  const open = new Set((await openAmong(db, old)).map(({ id }) => id));
  const orphans = old.filter((key) => !open.has(key));
  for (const key of orphans) await storage.delete(key);
  return orphans.length;
}

type ScratchDeps = { readonly db: Db } & Parameters<typeof deleteDeadScratch>[0];

const longestMs = 60_000;

/**
 * Deletes scratch folders of claims that are no more: their worker died, or an upload of theirs could not be cancelled,
 * which is tried again. Gives how many are gone.
 */
export async function deleteOrphanScratch(deps: ScratchDeps, stop: AbortSignal): Promise<number> {
  const claims = await listScratch(deps);
  const open = new Map(
    (
      await openAmong(
        deps.db,
        claims.map(({ id }) => id),
      )
    ).map(({ id, fence }) => [id, fence]),
  );
  const orphans = claims.filter(({ id, fence }) => open.get(id) !== fence);
  // Videos first: they do not wait for a service that cannot be reached.
  const deleted = await Promise.all(orphans.map((claim) => deleteScratch(deps, claim)));
  const noted = orphans.filter((_, index) => !deleted[index]);
  let gone = orphans.length - noted.length;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(longestMs)]);
  for (const claim of noted) if (await deleteDeadScratch(deps, claim, signal)) gone++;
  return gone;
}

async function openAmong(db: Db, ids: string[]) {
  if (ids.length === 0) return [];
  const known = await findJobStates(db, [...new Set(ids)]);
  return known.filter(({ status }) => status === "queued" || status === "running");
}
