import { createApiKey } from "@video-to-json/contract";
import { insertKey, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import type { Case } from "../cases/make-case.ts";
import type { Column } from "./columns.ts";
import type { CaseResult, Journal } from "./journal.ts";
import type { Meter } from "./meter.ts";

type Run = {
  mode: string;
  column: Column;
  service: { baseUrl: string; apiKey: string };
  meter: Pick<Meter, "spentBy">;
  journal: Pick<Journal, "add" | "isEmpty">;
  /** How many cases are asked at once. */
  lanes: number;
  inFlight: Set<Case>;
};

/** Asks the service the cases, several at once. Stops when the purse is empty: cases without an answer have no result. */
export async function runCases(cases: readonly Case[], run: Run): Promise<void> {
  const waiting = [...cases];
  const lane = async () => {
    for (let next = waiting.shift(); next && !run.journal.isEmpty(); next = waiting.shift()) await runCase(next, run);
  };
  await Promise.all(Array.from({ length: run.lanes }, lane));
}

async function runCase(asked: Case, run: Run): Promise<void> {
  const { mode, column, meter, journal, inFlight } = run;
  const video = await asked.video();
  inFlight.add(asked);
  try {
    const { jobId, ...result } = await askCase(asked, video, run);
    // A job that was running when the budget ended says nothing about the service.
    if (result.error !== undefined && journal.isEmpty()) return;
    const spent = meter.spentBy(jobId ?? "");
    journal.add({ mode, column: column.name, id: asked.id, ...result, spent });
  } finally {
    inFlight.delete(asked);
  }
}

/** The answer of the service to a case. `jobId` is undefined if there is no job. */
type Asked = Pick<CaseResult, "data" | "error" | "evidence" | "seconds"> & { jobId: string | undefined };

const deadlineMs = 600_000;
const evidencePauseMs = 200;
const evidenceTries = 300;

/** Sends one case to the service and waits for the answer, and for its evidence where the column asks for it. */
async function askCase(asked: Case, video: Buffer, { service, column }: Run): Promise<Asked> {
  const { baseUrl, apiKey } = service;
  const form = new FormData();
  form.set("schema", JSON.stringify(asked.schema));
  form.set("video", new Blob([new Uint8Array(video)], { type: "video/mp4" }), "video.mp4");
  const authorization = `Bearer ${apiKey}`;
  const began = performance.now();
  const response = await fetch(`${baseUrl}/v1/extract`, {
    method: "POST",
    headers: { authorization, ...column.headers },
    body: form,
    signal: AbortSignal.timeout(deadlineMs),
  });
  const body = (await response.json()) as { data?: unknown; error?: { code: string } };
  const seconds = (performance.now() - began) / 1000;
  const jobId = response.headers.get("job-id") ?? undefined;
  if (response.status !== 200) return { error: body.error?.code ?? `status ${response.status}`, seconds, jobId };
  if (!column.hasEvidence) return { data: body.data, seconds, jobId };
  const evidence = await readEvidence(`${baseUrl}/v1/jobs/${jobId}/evidence`, authorization);
  return { data: body.data, evidence, seconds, jobId };
}

async function readEvidence(url: string, authorization: string): Promise<unknown> {
  for (let tries = 0; tries < evidenceTries; tries++) {
    const response = await fetch(url, { headers: { authorization } });
    const body: unknown = await response.json();
    if (response.status === 200) return body;
    await new Promise((resolve) => setTimeout(resolve, evidencePauseMs));
  }
  return null;
}

/** Opens an account with minutes for every case. Returns a key of it. */
export async function openPayingAccount(databaseUrl: string): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1, applicationName: "quality" });
  try {
    const { account } = await openAccount(database.db, { email: "quality@example.com", freeSeconds: 60_000_000 });
    const { key, sha256, display } = createApiKey("v2j");
    await insertKey(database.db, { accountId: account.id, name: "quality", sha256, display });
    return key;
  } finally {
    await database.close();
  }
}
