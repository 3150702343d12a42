import {
  type Ask,
  type ConformingAnswer,
  type CutClip,
  type EvidenceChecks,
  gatherEvidence,
  hearClip,
  lookAtTimes,
} from "@video-to-json/analysis";
import type { Evidence, Limits, VideoPart } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { type Confinement, canReadScreenText, type MeasuredVideo, readScreenText } from "@video-to-json/media";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { FairPlaces } from "@video-to-json/runtime/timing";
import type { CompiledSchema, SchemaWork } from "@video-to-json/schema";

type ProveDeps = {
  readonly confinement: Confinement;
  readonly processor: FairPlaces;
  readonly limits: Pick<Limits, "evidenceSeconds">;
  readonly log: Pick<Logger, "info" | "warn">;
};

type Proof = {
  /** The file that the provider got: the video, or its part. */
  path: string;
  video: MeasuredVideo;
  /** The part of the video that the file holds; null for the whole video. */
  part: VideoPart | null;
  scratch: string;
  schema: CompiledSchema;
  answer: ConformingAnswer;
  ask: Ask;
  sandbox: Pick<SchemaWork, "findTimes">;
  /** Null if the provider takes no clips. */
  cutClip: CutClip | null;
  signal: AbortSignal;
};

/** A clip that is cut for its sound needs few pictures. */
const soundFramesPerSecond = 1;
/** The share of the job's time that is reserved for storing the answer. */
const settleMs = 15_000;
const lastFrameMs = 100;

/**
 * Gathers the evidence of an answer before the answer is stored, because the video is deleted afterwards, here and at
 * the provider. Ends well before the deadline of the job, and never rejects.
 */
export function proveAnswer(deps: ProveDeps, job: ClaimedJob, proof: Proof): Promise<Evidence> {
  const { schema, answer, video, part, signal, ask } = proof;
  const leftMs = job.deadlineAt.getTime() - Date.now() - settleMs;
  return gatherEvidence(
    { ask, checks: checksOf(deps, job, proof), log: deps.log },
    {
      jobId: job.id,
      dataText: answer.text,
      schemaText: schema.fullText,
      instructions: job.instructions,
      durationMs: video.durationMs,
      clip: part,
      budgetMs: Math.min(deps.limits.evidenceSeconds * 1000, leftMs),
      signal,
    },
  );
}

function checksOf(deps: ProveDeps, { id: jobId, accountId }: ClaimedJob, proof: Proof): EvidenceChecks {
  const { confinement, processor, log } = deps;
  const { path, video, part, scratch: scratchDir, ask, schema, answer, sandbox, cutClip } = proof;
  // The last frame of a clip begins before its end.
  const inFile = (ms: number) => (part ? Math.max(0, Math.min(ms, part.toMs - lastFrameMs) - part.fromMs) : ms);
  return {
    async readScreen({ atMs, reading }, { signal }) {
      if (!canReadScreenText()) return null;
      const options = { reading, confinement, scratchDir, signal };
      return processor.run(accountId, signal, () => readScreenText(path, inFile(atMs), options));
    },
    async hear(span, run) {
      if (video.audioCodec === null) return "";
      if (!cutClip) return null;
      const { bytes, mimeType } = await cutClip(span, soundFramesPerSecond, run.signal);
      return hearClip({ ask }, { bytes, mimeType, framesPerSecond: soundFramesPerSecond }, run);
    },
    async checkTimes(run) {
      if (answer.findings) return { findings: answer.findings, isCorrected: true };
      if (!cutClip) return { findings: new Map(), isCorrected: false };
      const { fromMs, toMs } = part ?? { fromMs: 0, toMs: video.durationMs };
      const looked = { jobId, text: answer.text, schema, durationMs: toMs, seenMs: toMs - fromMs };
      return { findings: await lookAtTimes({ ask, cutClip, sandbox, log }, looked, run), isCorrected: false };
    },
  };
}
