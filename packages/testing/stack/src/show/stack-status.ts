import { type NotedProcess, type StackRecord, stillRuns } from "@video-to-json/stack";

/** One process as a person is told of it. */
export type StatusRow = { name: string; pid: number; state: "runs" | "ready" | "not ready" | "gone" };

/** How each process of a kept stack is, and whether the stack is up: all of it there, and ready where it can tell. */
export async function stackStatus(record: StackRecord | undefined): Promise<{ rows: StatusRow[]; good: boolean }> {
  const rows = await Promise.all((record?.processes ?? []).map(rowOf));
  const good = record?.stack !== undefined && rows.every(({ state }) => state === "ready" || state === "runs");
  return { rows, good };
}

async function rowOf(noted: NotedProcess): Promise<StatusRow> {
  const { name, pid, readyUrl } = noted;
  if (!stillRuns(noted)) return { name, pid, state: "gone" };
  if (readyUrl === undefined) return { name, pid, state: "runs" };
  const ready = await fetch(readyUrl, { signal: AbortSignal.timeout(5000) }).then(
    (response) => response.ok,
    () => false,
  );
  return { name, pid, state: ready ? "ready" : "not ready" };
}
