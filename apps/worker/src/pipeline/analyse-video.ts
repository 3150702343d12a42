import { type AnalysisProvider, analyse } from "@video-to-json/analysis";
import type { JobProgress } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { type MeasuredVideo, prepareForProvider } from "@video-to-json/media";
import type { SchemaSandbox } from "@video-to-json/schema-input";
import { uploadNotesIn } from "./scratch.ts";

type Deps = { readonly service: AnalysisProvider; readonly sandbox: Pick<SchemaSandbox, "forAccount"> };
type Work = {
  path: string;
  video: MeasuredVideo;
  scratch: string;
  signal: AbortSignal;
  progress(progress: JobProgress): void;
  /** Takes the answer before the service's copy is deleted. */
  keep(answer: ConformingAnswer): Promise<void>;
};

/** An answer that conforms to the job's schema, as JSON text, and the model that gave it. */
export type ConformingAnswer = { text: string; model: string };

/**
 * Asks until an answer conforms and is kept, and the service's copy is deleted. Throws extraction_failed,
 * provider_unavailable or media_unreadable.
 */
export async function analyseVideo(deps: Deps, job: ClaimedJob, work: Work): Promise<void> {
  const { video, scratch, signal, progress, keep } = work;
  const sandbox = deps.sandbox.forAccount(job.accountId);
  const schema = await sandbox.compile(job.schemaText, signal);
  const ready = await prepareForProvider(work.path, video, scratch, signal);
  await analyse(
    { service: deps.service, sandbox },
    {
      video: { ...ready, jobId: job.id, uploadNotes: uploadNotesIn(scratch) },
      schema,
      instructions: job.instructions,
      durationMs: video.durationMs,
      deadline: job.deadlineAt,
      signal,
      onProgress: progress,
      keep,
    },
  );
}
