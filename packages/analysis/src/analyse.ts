import { type Evidence, type JobProgress, Problem, timestampText, type VideoPart } from "@video-to-json/contract";
import type { CompiledSchema, SchemaSandbox } from "@video-to-json/schema";
import { type AnalysisProvider, type Ask, NoAnswer, type Question, type VideoFile } from "./analysis-provider.ts";
import type { CutClip } from "./clips/cut-clip.ts";
import { openListCompletions } from "./complete-lists/complete-lists.ts";
import { improveAnswer } from "./improve-answer.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";
import { type FailedAttempt, writePrompt } from "./prompt/write-prompt.ts";
import type { CheckTimesDeps } from "./second-look/check-times-request.ts";
import type { SecondLookFindings } from "./second-look/findings.ts";
import { openSecondLooks } from "./second-look/take-second-look.ts";

export type AnalyseDeps = {
  readonly provider: Pick<AnalysisProvider, "withVideo">;
  readonly sandbox: Pick<SchemaSandbox, "check" | "checkPart" | "findTimes" | "findLists">;
  readonly log: CheckTimesDeps["log"];
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
  /** Cuts the clips for a second look at the times. Null: no second look. */
  cutClip: CutClip | null;
  /** Cuts the windows of a completeness pass over the lists of moments. Null or missing: no pass. */
  cutWindow?: CutClip | null;
  onProgress(progress: JobProgress): void;
  /** Gathers the evidence of the conforming answer, if the request asks for it. Never rejects. */
  prove?: ((answer: ConformingAnswer, ask: Ask) => Promise<Evidence>) | undefined;
  /** Receives the conforming answer before the provider copy is deleted, because the deletion may take long or fail. */
  onConforming(answer: ConformingAnswer): Promise<void>;
  /** Called after each attempt, for metrics. */
  onAttempt?(attempt: Attempt): void;
};

/** One attempt to get a conforming answer, and its outcome. `failed`: no further attempt follows. */
export type Attempt = {
  model: Question["model"];
  outcome: "conforms" | "violates" | "no_answer" | "failed";
};

/**
 * JSON text that conforms to the schema, and the id of the model that wrote it. `findings`: what a second look found
 * about its times, if there was one. `evidence`: its evidence, if the request asks for it.
 */
export type ConformingAnswer = { text: string; model: string; findings?: SecondLookFindings; evidence?: Evidence };

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
  const { signal, deadline } = request;
  request.onProgress({ stage: "uploading" });
  return deps.provider.withVideo(request.video, { signal, deadline }, async (ask) => {
    const answer = await askUntilConforming(deps, request, ask);
    const evidence = await request.prove?.(answer, ask);
    await request.onConforming(evidence ? { ...answer, evidence } : answer);
  });
}

async function askUntilConforming(
  { sandbox, log }: AnalyseDeps,
  request: ExtractionRequest,
  ask: Ask,
): Promise<ConformingAnswer> {
  const { schema, instructions, durationMs, part = null, signal, deadline, cutClip, cutWindow = null } = request;
  const { jobId } = request.video;
  const { fromMs, toMs } = part ?? { fromMs: 0, toMs: durationMs };
  const looked = { ...request, jobId, durationMs: toMs, seenMs: toMs - fromMs };
  const secondLooks = cutClip && openSecondLooks({ ask, cutClip, sandbox, log }, looked);
  const completions =
    cutWindow && openListCompletions({ ask, cutClip: cutWindow, sandbox, log }, { ...looked, fromMs });
  let failed: FailedAttempt | null = null;
  // The best conforming answer so far. It may have times that a second look contradicts.
  let best: JudgedAnswer | null = null;
  // Replaces the tokens that are reserved for this attempt by the used ones.
  let settleBudget: ((spent: number) => void) | undefined;
  for (const [index, model] of retryLadder.entries()) {
    request.onProgress({ stage: "analysing", attempt: index + 1 });
    const prompt = writePrompt({ schemaText: schema.promptText, instructions, durationMs, part, failed });
    const report = (outcome: Attempt["outcome"]) => request.onAttempt?.({ model, outcome });
    const startedAt = Date.now();
    try {
      const answer = await ask({ model, system: systemPrompt, prompt, responseSchema: schema.lean });
      if (answer.tokens) settleBudget?.(answer.tokens.total);
      const checked = part
        ? await sandbox.checkPart(schema, answer.text, part, signal)
        : await sandbox.check(schema, answer.text, durationMs, signal);
      if (!checked.ok) {
        report("violates");
        if (best) break;
        failed = { ...checked, answer: answer.text };
        continue;
      }
      const attemptMs = Date.now() - startedAt;
      const { text, findings, ...contradicted } = await improveAnswer(
        { completions, secondLooks },
        { text: checked.text, tokens: answer.tokens },
      );
      const conforming = { text, model: answer.model, ...(findings && { findings }) };
      best = betterOf(best, { answer: conforming, wrong: wrongTimes(findings) });
      // Without time or budget for another attempt, the job keeps this conforming answer instead of failing.
      const hasTime = deadline.getTime() - Date.now() > 2 * attemptMs;
      const isOver = contradicted.violations.length === 0 || !hasTime || index + 1 === retryLadder.length;
      settleBudget = isOver ? undefined : secondLooks?.reserveAttempt();
      report(settleBudget ? "violates" : "conforms");
      if (!settleBudget) break;
      failed = part ? asSeen(contradicted, answer.text, part) : { ...contradicted, answer: text };
    } catch (error) {
      report(error instanceof NoAnswer ? "no_answer" : "failed");
      signal.throwIfAborted();
      if (best) break;
      if (!(error instanceof NoAnswer)) throw error;
      failed = withoutAnswer(failed, error);
    }
  }
  if (best) return best.answer;
  throw new Problem("extraction_failed", { reason: "no_conforming_answer" }, { details: failed?.violationsForCaller });
}

/** A conforming answer, and how many of its times a second look contradicts or did not check. */
type JudgedAnswer = { answer: ConformingAnswer; wrong: number };

function wrongTimes(findings: SecondLookFindings = new Map()): number {
  return [...findings.values()].filter(({ verdict }) => verdict === "contradicted" || verdict === "not_checked").length;
}

/** The first answer remains the result unless the later one has fewer wrong times. */
function betterOf(first: JudgedAnswer | null, later: JudgedAnswer): JudgedAnswer {
  return first && first.wrong <= later.wrong ? first : later;
}

/**
 * A model that sees a part of the video gets its own answer back, and the contradictions with times of the same clock.
 */
function asSeen(
  { violations, violationsForCaller }: Omit<FailedAttempt, "answer">,
  answer: string,
  { fromMs }: VideoPart,
): FailedAttempt {
  const note = ` (by the clock of the longer video, at ${timestampText(fromMs)} of which the clip starts)`;
  return { violations: violations.map((violation) => violation + note), violationsForCaller, answer };
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
