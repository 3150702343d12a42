import type { Case } from "../cases/case.ts";
import type { Column } from "./columns.ts";
import type { CaseResult } from "./results-file.ts";

/** The service and the options of a question. */
export type Asking = { baseUrl: string; apiKey: string; video: Buffer; column: Column };

/** The answer of the service to a case. `jobId` is undefined if there is no job. */
export type Asked = Pick<CaseResult, "data" | "error" | "evidence" | "seconds"> & { jobId: string | undefined };

const deadlineMs = 600_000;
const evidencePauseMs = 200;
const evidenceTries = 300;

/** Sends one case to the service and waits for the answer, and for its evidence where the column asks for it. */
export async function askCase(asked: Case, { baseUrl, apiKey, video, column }: Asking): Promise<Asked> {
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

/** Waits for the evidence and returns it. Returns null if it is not there after a minute. */
async function readEvidence(url: string, authorization: string): Promise<unknown> {
  for (let tries = 0; tries < evidenceTries; tries++) {
    const response = await fetch(url, { headers: { authorization } });
    const body: unknown = await response.json();
    if (response.status === 200) return body;
    await new Promise((resolve) => setTimeout(resolve, evidencePauseMs));
  }
  return null;
}
