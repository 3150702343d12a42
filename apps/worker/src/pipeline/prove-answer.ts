import { type Ask, type ConformingAnswer, type EvidenceChecks, gatherEvidence } from "@video-to-json/analysis";
import type { Evidence, Limits } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { type Confinement, canReadScreenText, type MeasuredVideo, readScreenText } from "@video-to-json/media";
import type { CompiledSchema } from "@video-to-json/schema-input";
import type { Logger } from "@video-to-json/telemetry";
import type { FairPlaces } from "@video-to-json/timing";

type ProveDeps = {
  readonly confinement: Confinement;
  readonly processor: FairPlaces;
  readonly limits: Pick<Limits, "evidenceSeconds">;
  readonly log: Pick<Logger, "warn">;
};

type Proof = {
  path: string;
  video: MeasuredVideo;
  scratch: string;
  schema: CompiledSchema;
  answer: ConformingAnswer;
  ask: Ask;
  signal: AbortSignal;
};

/** The part of the job's time that the storing of the answer keeps. */
const settleMs = 15_000;

/**
 * Gathers the evidence of an answer before it is stored: afterwards the video is gone, here and at the provider. Ends
 * well before the deadline of the job, and never rejects.
 */
export function proveAnswer(deps: ProveDeps, job: ClaimedJob, proof: Proof): Promise<Evidence> {
  const { schema, answer, video, signal, ask } = proof;
  const leftMs = job.deadlineAt.getTime() - Date.now() - settleMs;
  return gatherEvidence(
    { ask, checks: checksOf(deps, job, proof), log: deps.log },
    {
      jobId: job.id,
      dataText: answer.text,
      schemaText: schema.fullText,
      instructions: job.instructions,
      durationMs: video.durationMs,
      budgetMs: Math.min(deps.limits.evidenceSeconds * 1000, leftMs),
      signal,
    },
  );
}

function checksOf(deps: ProveDeps, { accountId }: ClaimedJob, proof: Proof): EvidenceChecks {
  const { confinement, processor } = deps;
  const { path, scratch: scratchDir } = proof;
  return {
    async readScreen({ atMs, reading }, { signal }) {
      if (!canReadScreenText()) return null;
      const options = { reading, confinement, scratchDir, signal };
      return processor.run(accountId, signal, () => readScreenText(path, atMs, options));
    },
    hear: async () => null,
    checkTimes: async () => new Map(),
  };
}
