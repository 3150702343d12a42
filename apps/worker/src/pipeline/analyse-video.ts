import {
  type AnalysisProvider,
  analyse,
  type ConformingAnswer,
  type TakeSound,
  type Transcription,
} from "@video-to-json/analysis";
import { type Detail, type JobProgress, type Limits, Problem, type VideoPart } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import {
  asDiskFullProblem,
  type Confinement,
  cutClip,
  FfmpegFailure,
  type MeasuredVideo,
  prepareForProvider,
  takePictures,
  takeSound,
} from "@video-to-json/media";
import type { Permits } from "@video-to-json/queue";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import type { KindPlaces } from "@video-to-json/runtime/timing";
import type { CompiledSchema, SchemaSandbox } from "@video-to-json/schema";
import { checksOfJob, type DefaultChecks, type Words } from "./checks-of-job.ts";
import { uploadRecordsIn } from "./scratch.ts";

type AnalyseVideoDeps = {
  readonly provider: Pick<AnalysisProvider, "capabilities" | "withVideo">;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  /** Undefined: nobody writes down what is said. */
  readonly transcription: Pick<Transcription, "transcribe"> | undefined;
  readonly confinement: Confinement;
  readonly processor: KindPlaces;
  readonly permits: Pick<Permits, "take">;
  readonly metrics: Pick<WorkerMetrics, "attempts" | "escalations">;
  readonly limits: Pick<Limits, "evidenceSeconds" | "minimumBilledSeconds">;
  readonly checks: DefaultChecks;
  readonly log: Pick<Logger, "info" | "warn">;
};

type Work = {
  path: string;
  video: MeasuredVideo;
  /** The part of the video to look at; null for the whole video. */
  part: VideoPart | null;
  schema: CompiledSchema;
  /** The scratch directory of the claim. */
  scratch: string;
  signal: AbortSignal;
  progress(progress: JobProgress): void;
  /** Stores the answer. It runs before the provider copy is deleted. */
  onConforming(answer: ConformingAnswer): Promise<void>;
};

/**
 * Converts the video if necessary, asks the provider until an answer conforms, and deletes the provider copy. The job
 * has a permit from its upload to its answer. Throws Problem `extraction_failed`, `provider_unavailable`,
 * `media_unreadable` or `file_too_large`.
 */
export async function analyseVideo(deps: AnalyseVideoDeps, job: ClaimedJob, work: Work): Promise<void> {
  const { video, part, schema, scratch, progress, onConforming } = work;
  const { provider, confinement, processor, metrics } = deps;
  const sandbox = deps.sandbox.forAccount(job.accountId);
  const context = { scratchDir: scratch, confinement, signal: work.signal };
  const copying = { readable: provider.capabilities.media, part, maxSide: maxSides[job.detail], ...context };
  const file = await processor.run(job, work.signal, () => prepareForProvider(work.path, video, copying));
  const durationMs = part ? part.toMs - part.fromMs : video.durationMs;
  const read = <T>(signal: AbortSignal, run: () => Promise<T>) =>
    processor.run(job, signal, run).catch((cause: unknown) => {
      signal.throwIfAborted();
      if (!(cause instanceof FfmpegFailure)) throw cause;
      const reason = "The video cannot be read for analysis.";
      throw asDiskFullProblem(cause) ?? new Problem("media_unreadable", { reason }, { cause });
    });
  const words = openWords(deps, job, { path: file.path, durationMs, hasSound: video.audioCodec !== null, context });
  const permit = await deps.permits.take(job, work.signal);
  try {
    const signal = AbortSignal.any([work.signal, permit.signal]);
    await analyse(
      { provider, sandbox },
      {
        video: {
          ...file,
          jobId: job.id,
          durationMs,
          hasSound: video.audioCodec !== null,
          fromMs: part?.fromMs ?? 0,
          words,
          uploadRecords: uploadRecordsIn(scratch),
          detail: job.detail,
          takePictures: ({ clip = file.path, ...options }, signal) =>
            read(signal, () => takePictures(clip, { ...options, ...context, signal })),
          async takeVideo(options, signal) {
            const whole = { fromMs: 0, toMs: durationMs, fileStartMs: 0, hasSound: false, timeoutMs: encodeMs };
            const own = { ...options, ...whole, readable: provider.capabilities.media, ...context, signal };
            return (await read(signal, () => cutClip(file.path, own))).bytes;
          },
        },
        schema,
        instructions: job.instructions,
        durationMs: video.durationMs,
        part,
        openChecks: checksOfJob(deps, job, { ...work, path: file.path, sandbox, words, signal }),
        deadline: job.deadlineAt,
        signal,
        onProgress: progress,
        onAttempt({ model, outcome }) {
          metrics.attempts.inc({ model, outcome });
          // The retry ladder asks the large model once.
          if (model === "large") metrics.escalations.inc();
        },
        onConforming(answer) {
          permit.release();
          return onConforming(answer);
        },
      },
    );
  } finally {
    permit.release();
  }
}

type Sound = {
  path: string;
  durationMs: number;
  hasSound: boolean;
  context: { scratchDir: string; confinement: Confinement };
};

/** Returns the words of a video's sound. A recogniser hears it once, when the first caller asks. */
function openWords({ transcription, processor }: AnalyseVideoDeps, job: ClaimedJob, sound: Sound): Words {
  let heard: ReturnType<Words> | undefined;
  return (signal) => {
    if (!transcription || !sound.hasSound) return Promise.resolve(null);
    const take: TakeSound = (span, signal) =>
      processor.run(job, signal, () => takeSound(sound.path, { ...sound.context, ...span, signal }));
    heard ??= transcription.transcribe(job.id, sound.durationMs, take, signal);
    return heard;
  };
}

/** A video is encoded as a whole. */
const encodeMs = 300_000;

/** The largest side of the pictures of a clip, in pixels. */
const maxSides: Record<Detail, number> = { low: 640, standard: 1280, high: 1280 };
