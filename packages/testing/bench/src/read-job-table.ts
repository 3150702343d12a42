import type { Latencies } from "./latencies.ts";
import { measured, type ReadJobResult } from "./read-job.ts";

const titles = {
  "read 1": "GET /v1/jobs/{id}, 1 at a time",
  "read 8": "GET /v1/jobs/{id}, 8 at a time",
  "list 10": "newest 10 jobs, from the database",
  "list 50": "newest 50 jobs, from the database",
} as const satisfies Record<(typeof measured)[number], string>;

/** Returns the figures as a table: p50 / p99 in milliseconds, for the full and the empty table. */
export function readJobTable({ jobs, ofAccount, full, empty, good }: ReadJobResult): string {
  const rows = measured.map((name) => [
    titles[name],
    times(empty[name]),
    times(full[name]),
    `× ${(full[name].p50 / empty[name].p50).toFixed(2)} / ${(full[name].p99 / empty[name].p99).toFixed(2)}`,
  ]);
  const head = ["p50 / p99", "empty table", `${jobs.toLocaleString("en")} jobs`, "ratio"];
  const lines = [head, ...rows].map(([title = "", ...cells]) =>
    [title.padEnd(36), ...cells.map((cell) => cell.padStart(20))].join(""),
  );
  const verdict = good ? "A job is read in time." : "A job is NOT read within 5 ms (p50, one at a time).";
  return [...lines, "", `${ofAccount.toLocaleString("en")} of the jobs are the caller's. ${verdict}`].join("\n");
}

function times({ p50, p99 }: Latencies): string {
  return `${p50.toFixed(2)} / ${p99.toFixed(2)} ms`;
}
