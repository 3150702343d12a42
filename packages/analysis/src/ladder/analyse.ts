import {
  type Evidence,
  type JobProgress,
  Problem,
  type SecondLookCounts,
  type VideoPart,
} from "@video-to-json/contract";
import { steadyNow } from "@video-to-json/runtime/timing";
import type { CompiledSchema, SchemaWork } from "@video-to-json/schema";
import {
  type AnalysisProvider,
  type Ask,
  NoAnswer,
  OutOfQuota,
  type Question,
  type TokenCount,
  type VideoFile,
} from "../analysis-provider.ts";
import { type FailedAttempt, systemPrompt, writePrompt } from "./write-prompt.ts";

export type AnalyseDeps = {
  readonly provider: Pick<AnalysisProvider, "withVideo">;
  readonly sandbox: Pick<SchemaWork, "check" | "checkPart">;
};

/** The input of one job for the provider. */
export type ExtractionRequest = {
  video: VideoFile;
  schema: CompiledSchema;
  instructions: string | null;
  /** The measured length of the whole video. */
  durationMs: number;
  /** The part of the whole video that `video` contains, unless it is the whole. */
  part?: VideoPart | null;
  /** Aborts at `deadline` at the latest. */
  signal: AbortSignal;
  deadline: Date;
  /** Opens the checks of the job's conforming answers. Missing: the first conforming answer is accepted. */
  openChecks?: OpenChecks | undefined;
  onProgress(progress: JobProgress): void;
  /** Receives the accepted answer before the provider copy is deleted, because the deletion may take long or fail. */
  onConforming(answer: ConformingAnswer): Promise<void>;
  /** Called after each attempt, for metrics. */
  onAttempt?(attempt: Attempt): void;
};

/** One attempt to get an accepted answer, and its outcome. `failed`: no further attempt follows. */
type Attempt = {
  model: Question["model"];
  outcome: "conforms" | "violates" | "no_answer" | "failed";
};

/**
 * JSON text that conforms to the schema, the id of the model that wrote it, and its evidence and the verdicts about its times, if
 * the job wants them.
 */
export type ConformingAnswer = { text: string; model: string; evidence?: Evidence; secondLook?: SecondLookCounts };

/** What looks again at the conforming answers of one job. */
type Checks = {
  /**
   * Returns the best answer so far, and what is wrong with the reviewed one if another attempt is worth its price.
   * Rejects only when the signal of the job aborts.
   */
  review(answer: FreshAnswer): Promise<{ answer: ConformingAnswer; failed: FailedAttempt | null }>;
  /** Adds the evidence to the accepted answer, if the job wants it. Never rejects. */
  prove(answer: ConformingAnswer): Promise<ConformingAnswer>;
};

/** Opens the checks of one job. They may ask about the video and about clips of it. */
export type OpenChecks = (ask: Ask) => Checks;

/** A conforming answer that no check has seen. `written`: as the model wrote it. `isLast`: no attempt is left. */
export type FreshAnswer = ConformingAnswer & {
  written: string;
  tokens: TokenCount | undefined;
  attemptMs: number;
  isLast: boolean;
};

/** The models of the attempts, in order. */
const retryLadder: readonly Question["model"][] = ["small", "small", "large"];

/**
 * Runs the retry ladder: asks, validates the answer, asks again with its violations, and escalates to the large model
 * (specification, "What the service does").
 *
 * @throws Problem `extraction_failed`, whose details are the violations of the last answers without the model's words;
 *   `provider_unavailable`, `media_unreadable` or `file_too_large`; the error of `onConforming`; the reason of `signal`.
 */
export function analyse(deps: AnalyseDeps, request: ExtractionRequest): Promise<void> {
  const { video, signal, deadline, openChecks } = request;
  request.onProgress({ stage: "uploading" });
  return deps.provider.withVideo(video, { signal, deadline }, async (ask) => {
    const checks = openChecks?.(ask);
    const answer = await askUntilAccepted(deps, request, ask, checks);
    await request.onConforming(checks ? await checks.prove(answer) : answer);
  });
}

async function askUntilAccepted(
  { sandbox }: AnalyseDeps,
  request: ExtractionRequest,
  ask: Ask,
  checks: Checks | undefined,
): Promise<ConformingAnswer> {
  const { schema, instructions, durationMs, part = null, signal } = request;
  let failed: FailedAttempt | null = null;
  // This answer conforms, but the checks want a better one.
  let kept: ConformingAnswer | null = null;
  for (const [index, model] of retryLadder.entries()) {
    request.onProgress({ stage: "analysing", attempt: index + 1 });
    const report = (outcome: Attempt["outcome"]) => request.onAttempt?.({ model, outcome });
    const startedAt = steadyNow();
    try {
      const prompt = writePrompt({ schemaText: schema.promptText, instructions, durationMs, part, failed });
      const answer = await ask({ model, system: systemPrompt, prompt, responseSchema: schema.lean });
      const checked = part
        ? await sandbox.checkPart(schema, answer.text, part, signal)
        : await sandbox.check(schema, answer.text, durationMs, signal);
      if (!checked.ok) {
        report("violates");
        if (kept) return kept;
        failed = { ...checked, answer: answer.text };
        continue;
      }
      const conforming = { text: checked.text, model: answer.model };
      const isLast = index + 1 === retryLadder.length;
      const attempt = { written: answer.text, tokens: answer.tokens, attemptMs: steadyNow() - startedAt, isLast };
      const review = await checks?.review({ ...conforming, ...attempt });
      report(review?.failed ? "violates" : "conforms");
      if (!review?.failed) return review?.answer ?? conforming;
      ({ answer: kept, failed } = review);
    } catch (error) {
      report(error instanceof NoAnswer ? "no_answer" : "failed");
      signal.throwIfAborted();
      if (kept) return kept;
      // The caller learns more from the rules that two answers break than from the quota of the large model.
      if (model === "large" && failed && error instanceof OutOfQuota) break;
      if (!(error instanceof NoAnswer)) throw error;
      failed = withoutAnswer(failed, error);
    }
  }
  throw new Problem("extraction_failed", { reason: "no_conforming_answer" }, { details: failed?.violationsForCaller });
}

/** If the next attempt brings no answer, the violations of the earlier one still apply. */
function withoutAnswer(earlier: FailedAttempt | null, { violation }: NoAnswer): FailedAttempt {
  const withEarlier = (violations: readonly string[] = []) => [...new Set([violation, ...violations])];
  return {
    violations: withEarlier(earlier?.violations),
    violationsForCaller: withEarlier(earlier?.violationsForCaller),
    answer: earlier?.answer ?? null,
  };
}
