import { type RecordedProcess, type StackRecord, stillRuns } from "@video-to-json/stack";

/** The state of one process. */
export type StatusRow = { name: string; pid: number; state: "runs" | "ready" | "not ready" | "gone" };

/**
 * Returns the state of each process, and whether the stack is up: all run, and those with a readiness check are ready.
 */
export async function stackStatus(record: StackRecord | undefined): Promise<{ rows: StatusRow[]; good: boolean }> {
  const rows = await Promise.all((record?.processes ?? []).map(rowOf));
  const good = record?.stack !== undefined && rows.every(({ state }) => state === "ready" || state === "runs");
  return { rows, good };
}

async function rowOf(process_: RecordedProcess): Promise<StatusRow> {
  const { name, pid, readyUrl } = process_;
  if (!stillRuns(process_)) return { name, pid, state: "gone" };
  if (readyUrl === undefined) return { name, pid, state: "runs" };
  const ready = await fetch(readyUrl, { signal: AbortSignal.timeout(5000) }).then(
    (response) => response.ok,
    () => false,
  );
  return { name, pid, state: ready ? "ready" : "not ready" };
}
