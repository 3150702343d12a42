import { unavailable } from "../questions/refusal.ts";
import { type Patience, type PatientRun, withPatience } from "../wire/patience.ts";
import type { Sdk } from "../wire/sdk.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { jobIdOf, listCopies } from "./list-copies.ts";
import type { RemoteFile } from "./remote-file.ts";

const retryLaterMs = 60_000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Deletes the copies whose job is over, as `isOver` (UUIDs in, those over out) says. Gives how many were deleted. One
 * that cannot be deleted is logged and left for the next time.
 */
export async function deleteCopies(
  deps: { sdk: Sdk; patience: Patience },
  isOver: (jobIds: string[]) => Promise<ReadonlySet<string>>,
  run: PatientRun,
): Promise<number> {
  const copies = await listCopies(deps, run).catch((error: unknown) => {
    throw error instanceof ServiceFault ? unavailable(error, retryLaterMs) : error;
  });
  const traced = copies.flatMap((copy) => {
    const jobId = jobIdOf(copy);
    return jobId !== null && uuid.test(jobId) ? [{ copy, jobId }] : [];
  });
  if (traced.length === 0) return 0;
  const over = await isOver([...new Set(traced.map(({ jobId }) => jobId))]);
  let deleted = 0;
  for (const { copy, jobId } of traced) {
    if (over.has(jobId) && (await deleteOne(deps, copy, run))) deleted++;
  }
  return deleted;
}

async function deleteOne(deps: { sdk: Sdk; patience: Patience }, copy: RemoteFile, run: PatientRun): Promise<boolean> {
  try {
    await withPatience(deps.patience, run, "delete copy", () => deps.sdk.deleteFile(copy.name, run.signal));
    return true;
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ServiceFault)) throw error;
    deps.patience.log.warn({ file: copy.name, status: error.status, fault: error.message }, "a copy was not deleted");
    return false;
  }
}
