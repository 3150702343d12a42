import { Problem } from "@video-to-json/contract";
import { unavailable } from "../questions/refusal.ts";
import { type Patience, type PatientRun, withPatience } from "../wire/patience.ts";
import type { Sdk } from "../wire/sdk.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { jobIdOf, listCopies } from "./list-copies.ts";
import type { RemoteFile } from "./remote-file.ts";

const retryLaterMs = 60_000;
// Within it a deletion has a few tries; one that never works must not take the time of those behind it.
const copyMs = 5_000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Deletes the copies whose job is over, as `isOver` (UUIDs in, those over out) says. Gives how many were deleted. One
 * that cannot be deleted is logged and left for the next time, as are all that remain when the service wants to be left
 * alone or the time is up. Throws Problem `provider_unavailable` when the list cannot be had.
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
    if (!over.has(jobId)) continue;
    if (deps.patience.clock.now() >= run.deadline.getTime()) break;
    const end = await deleteOne(deps, copy, run);
    if (end === "deleted") deleted++;
    if (end === "rate-limited") break;
  }
  return deleted;
}

async function deleteOne(
  deps: { sdk: Sdk; patience: Patience },
  copy: RemoteFile,
  run: PatientRun,
): Promise<"deleted" | "left" | "rate-limited"> {
  const deadline = new Date(Math.min(run.deadline.getTime(), deps.patience.clock.now() + copyMs));
  try {
    await withPatience(deps.patience, { ...run, deadline }, "delete copy", () =>
      deps.sdk.deleteFile(copy.name, run.signal),
    );
    return "deleted";
  } catch (error) {
    run.signal.throwIfAborted();
    const fault = error instanceof Problem ? error.cause : error;
    if (!(fault instanceof ServiceFault)) throw error;
    deps.patience.log.warn({ file: copy.name, status: fault.status, fault: fault.message }, "a copy was not deleted");
    return fault.status === 429 ? "rate-limited" : "left";
  }
}
