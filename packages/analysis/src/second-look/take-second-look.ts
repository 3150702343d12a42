import type { CompiledSchema, SchemaWork } from "@video-to-json/schema";
import type { TokenCount } from "../analysis-provider.ts";
import { applyMoves } from "./apply-moves.ts";
import { checkTimes } from "./check-times.ts";
import type { CheckTimesDeps } from "./check-times-request.ts";
import { contradictionsOf } from "./contradictions.ts";
import type { SecondLookFindings } from "./findings.ts";
import { openSightingMemory } from "./sighting-memory.ts";
import { openTokenBudget } from "./token-budget.ts";

export type SecondLookDeps = Omit<CheckTimesDeps, "ask"> & {
  readonly ask: CheckTimesDeps["ask"];
  readonly sandbox: Pick<SchemaWork, "check" | "findTimes">;
};

/** A conforming answer, and its price. */
type LookedAtAnswer = { text: string; tokens: TokenCount | undefined };

/** The result of a second look: the answer with corrected times, and the contradicted times as violations. */
export type SecondLookResult = {
  text: string;
  findings: SecondLookFindings;
  violations: string[];
  violationsForCaller: string[];
};

type Job = {
  jobId: string;
  schema: CompiledSchema;
  /** The end of the video, or of the part that the answer is about. */
  durationMs: number;
  /** The length of the file that the answer is about. */
  seenMs: number;
  signal: AbortSignal;
  /** The end of the job. The second look ends before. */
  deadline: Date;
};

/** The second looks of one job. They share a budget and remember their sightings. */
export type SecondLooks = {
  take(answer: LookedAtAnswer): Promise<SecondLookResult>;
  /**
   * Reserves the price of a further attempt and its second look.
   *
   * @returns a function that replaces the reserved tokens by the used ones; undefined if the budget is too small.
   */
  reserveAttempt(): ((spent: number) => void) | undefined;
};

const maxLookMs = 60_000;
/** A further attempt costs more than the first, because its prompt contains the earlier answer and its violations. */
const attemptFactor = 1.1;
/** Twice the tokens of the first pass. */
const budgetFactor = 2;
/**
 * An estimate of the first pass, for a provider that does not count: tokens per second of video, and for the prompt.
 */
const guess = { perSecond: 102, prompt: 1500 };

/**
 * Opens the second looks of a job (docs/decisions/0001, "Second look"). A failure leaves the answer unchanged and its
 * times `not_checked`. It rejects only when the job's own signal aborts.
 */
export function openSecondLooks(deps: SecondLookDeps, job: Job): SecondLooks {
  const { jobId, schema, durationMs, seenMs, signal } = job;
  const [memory, farMemory] = [openSightingMemory(), openSightingMemory()];
  let budget: ReturnType<typeof openBudget> | undefined;

  return {
    async take({ text, tokens }) {
      budget ??= openBudget(tokens, seenMs);
      const startedAt = Date.now();
      const lookMs = Math.max(0, Math.min(maxLookMs, (job.deadline.getTime() - startedAt) / 2));
      const timeout = AbortSignal.timeout(Math.floor(lookMs));
      const bounds = { signal: AbortSignal.any([signal, timeout]), deadline: new Date(startedAt + lookMs) };
      const unchanged = { text, findings: new Map(), violations: [], violationsForCaller: [] };
      try {
        const claims = await deps.sandbox.findTimes(schema, text, durationMs, signal);
        const before = budget.spent();
        const cost = { firstPass: budget.firstPass, budget, maxTokens: budget.left() };
        const request = { jobId, durationMs, seenMs, memory, farMemory, ...cost, ...bounds };
        const found = await checkTimes(deps, claims, request);
        signal.throwIfAborted();
        const corrected = await applyMoves(deps, { text, schema, durationMs, signal }, claims, found);
        const verdicts = countVerdicts(corrected.findings);
        const spent = budget.spent() - before;
        const facts = { jobId, ...verdicts, tokens: spent, firstPassTokens: tokens?.total, ms: Date.now() - startedAt };
        deps.log.info(facts, "second look taken");
        return { ...corrected, ...contradictionsOf(claims, corrected.findings) };
      } catch (error) {
        signal.throwIfAborted();
        deps.log.warn({ jobId, err: error }, "second look failed; the first answer counts");
        return unchanged;
      }
    },
    reserveAttempt() {
      const reserved = attemptFactor * ((budget?.maxTokens ?? 0) / budgetFactor);
      // The further attempt needs a second look too; otherwise nothing shows whether it is better. It asks only new
      // questions.
      if (!budget || budget.left() < reserved + budget.spent() / 2 || !budget.reserve(reserved)) return undefined;
      return (spent) => budget?.settle(reserved, spent);
    },
  };
}

/** Opens the budget of a job's second looks: twice the real or estimated price of the first pass. */
export function openBudget(firstPass: TokenCount | undefined, durationMs: number) {
  const total = firstPass?.total ?? Math.round((durationMs / 1000) * guess.perSecond + guess.prompt);
  const maxTokens = budgetFactor * total;
  return { ...openTokenBudget(maxTokens), maxTokens, firstPass };
}

function countVerdicts(findings: SecondLookFindings): Record<string, number> {
  const counts = { confirmed: 0, moved: 0, contradicted: 0, unconfirmed: 0, not_checked: 0 };
  for (const { verdict } of findings.values()) counts[verdict]++;
  return counts;
}
