import { type AnalysisProvider, analyse, type ConformingAnswer } from "@video-to-json/analysis";
import type { JobProgress } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { type Confinement, type MeasuredVideo, prepareForProvider } from "@video-to-json/media";
import type { SchemaSandbox } from "@video-to-json/schema-input";
import { uploadRecordsIn } from "./scratch.ts";

type AnalyseVideoDeps = {
  readonly provider: Pick<AnalysisProvider, "capabilities" | "withVideo">;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly confinement: Confinement;
};

type Work = {
  path: string;
  video: MeasuredVideo;
  /** The scratch directory of the claim. */
  scratch: string;
  signal: AbortSignal;
  progress(progress: JobProgress): void;
  /** Stores the answer. It runs before the provider copy is deleted. */
  onConforming(answer: ConformingAnswer): Promise<void>;
};

/**
 * Asks the provider until an answer conforms, and deletes the provider copy. Throws Problem `extraction_failed`,
 * `provider_unavailable`, `media_unreadable` or `file_too_large`.
 */
export async function analyseVideo(deps: AnalyseVideoDeps, job: ClaimedJob, work: Work): Promise<void> {
  const { video, scratch, signal, progress, onConforming } = work;
  const { provider, confinement } = deps;
  const sandbox = deps.sandbox.forAccount(job.accountId);
  const schema = await sandbox.compile(job.schemaText, signal);
  const readable = provider.capabilities.media;
  const file = await prepareForProvider(work.path, video, { readable, scratchDir: scratch, confinement, signal });
  await analyse(
    { provider, sandbox },
    {
      video: { ...file, jobId: job.id, uploadRecords: uploadRecordsIn(scratch) },
      schema,
      instructions: job.instructions,
      durationMs: video.durationMs,
      deadline: job.deadlineAt,
      signal,
      onProgress: progress,
      onConforming,
    },
  );
}
