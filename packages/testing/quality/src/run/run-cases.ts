import type { Case } from "../cases/case.ts";
import { renderVideo } from "../render/render-video.ts";
import { askCase } from "./ask-case.ts";
import type { Column } from "./columns.ts";
import type { Meter } from "./meter.ts";
import type { Purse } from "./purse.ts";
import type { CaseResult } from "./results-file.ts";

type Run = {
  mode: string;
  column: Column;
  service: { baseUrl: string; apiKey: string };
  meter: Pick<Meter, "spentBy">;
  purse: Pick<Purse, "isEmpty">;
  /** How many cases are asked at once. */
  lanes: number;
  /** The cases that are asked now. */
  inFlight: Set<Case>;
  onResult(result: CaseResult): void;
};

/** Asks the service the cases, several at once. Stops when the purse is empty: cases without an answer have no result. */
export async function runCases(cases: readonly Case[], run: Run): Promise<void> {
  const waiting = [...cases];
  const lane = async () => {
    for (let next = waiting.shift(); next && !run.purse.isEmpty(); next = waiting.shift()) await runCase(next, run);
  };
  await Promise.all(Array.from({ length: run.lanes }, lane));
}

async function runCase(asked: Case, { mode, column, service, meter, purse, inFlight, onResult }: Run): Promise<void> {
  const video = await renderVideo(asked.plan);
  inFlight.add(asked);
  try {
    const { jobId, ...result } = await askCase(asked, { ...service, video, column });
    // A job that was running when the budget ended says nothing about the service.
    if (result.error !== undefined && purse.isEmpty()) return;
    const spent = meter.spentBy(jobId ?? "");
    onResult({ mode, column: column.name, id: asked.id, ...result, spent });
  } finally {
    inFlight.delete(asked);
  }
}
