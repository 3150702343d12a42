import { type JobProgress, Problem } from "@video-to-json/contract";
import type { CompiledSchema, SchemaSandbox } from "@video-to-json/schema-input";
import { type AnalysisProvider, type Ask, type Question, UnmetAnswer, type VideoFile } from "./analysis-provider.ts";
import { recitalOf } from "./prompt/recites.ts";
import { systemPrompt } from "./prompt/system-prompt.ts";
import { type FailedAttempt, writePrompt } from "./prompt/write-prompt.ts";

/**
 * What one extraction is made of. `durationMs` is the measured length; `signal` aborts at the latest at `deadline`; `keep`
 * is given the conforming answer while the service still has the copy.
 */
export type ExtractionRequest = {
  video: VideoFile;
  schema: CompiledSchema;
  instructions: string | null;
  durationMs: number;
  signal: AbortSignal;
  deadline: Date;
  onProgress(progress: JobProgress): void;
  keep(answer: Extraction): Promise<void>;
};

type Deps = { service: AnalysisProvider; sandbox: Pick<SchemaSandbox, "check"> };
type Extraction = { text: string; model: string; attempts: number };

const recited = ": repeats the rules of this service instead of describing the video";
const rungs: readonly Question["model"][] = ["small", "small", "large"];

/**
 * Asks for the JSON, checks it, asks again with what was wrong, then once the larger model (specification, "What the
 * service does"). Has the conforming JSON text kept, with the id of the model that wrote it and how many answers it took,
 * and then the copy deleted, which may take long or fail.
 * Throws Problem: `extraction_failed` (`details`: what the last answers failed to satisfy), `provider_unavailable`
 * (with `retryAfterSeconds`), `media_unreadable`, `file_too_large`; what `keep` throws; and the reason of `signal` once
 * that aborts.
 */
export function analyse(deps: Deps, request: ExtractionRequest): Promise<void> {
  const { signal, deadline } = request;
  request.onProgress({ stage: "uploading" });
  return deps.service.withVideo(request.video, { signal, deadline }, async (ask) =>
    request.keep(await askUntilConforming(deps, request, ask)),
  );
}

async function askUntilConforming(deps: Deps, request: ExtractionRequest, ask: Ask): Promise<Extraction> {
  const { schema, instructions, durationMs, signal } = request;
  const repeatsRules = recitalOf(systemPrompt, [schema.promptText, instructions ?? ""]);
  let failed: FailedAttempt | null = null;
  for (const [index, model] of rungs.entries()) {
    request.onProgress({ stage: "analysing", attempt: index + 1 });
    const prompt = writePrompt({ schemaText: schema.promptText, instructions, durationMs, failed });
    try {
      const answer = await ask({ model, system: systemPrompt, prompt, responseSchema: schema.lean });
      const checked = await deps.sandbox.check(schema, answer.text, durationMs, signal);
      if (!checked.ok) failed = { violations: checked.violations, answer: answer.text };
      else if (repeatsRules(checked.text)) failed = { violations: [recited], answer: null };
      else return { text: checked.text, model: answer.model, attempts: index + 1 };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UnmetAnswer)) throw error;
      failed = withoutAnswer(failed, error);
    }
  }
  throw new Problem(
    "extraction_failed",
    "No attempt produced an answer that matches the schema. Loosen the schema, mark speculative fields optional, or add instructions. Nothing was charged.",
    // A violation may quote a key that the model made up.
    { details: (failed?.violations ?? []).filter((violation) => !repeatsRules(violation)) },
  );
}

/** What an earlier answer got wrong still holds when the next attempt brings none. */
function withoutAnswer(earlier: FailedAttempt | null, unmet: UnmetAnswer): FailedAttempt {
  const violations = new Set([unmet.violation, ...(earlier?.violations ?? [])]);
  return { violations: [...violations], answer: earlier?.answer ?? null };
}
