import type { CompiledSchema, SchemaWork } from "@video-to-json/schema-input";
import type { TokenCount } from "../analysis-provider.ts";
import { applyMoves } from "./apply-moves.ts";
import { type CheckTimesDeps, checkTimes } from "./check-times.ts";
import { contradictionsOf } from "./contradictions.ts";
import type { SecondLookFindings } from "./findings.ts";
import { openSightingMemory } from "./sighting-memory.ts";
import { openTokenBudget } from "./token-budget.ts";

export type SecondLookDeps = Omit<CheckTimesDeps, "ask"> & {
  readonly ask: CheckTimesDeps["ask"];
  readonly sandbox: Pick<SchemaWork, "check" | "findTimes">;
};

/** An answer that conforms, and what it cost. */
type LookedAtAnswer = { text: string; tokens: TokenCount | undefined };

/** The result of a second look: the answer with its times corrected, and the violations of those that are contradicted. */
export type SecondLookResult = {
  text: string;
  findings: SecondLookFindings;
  violations: string[];
  violationsForCaller: string[];
};

type Job = {
  jobId: string;
  schema: CompiledSchema;
  /** Where the video ends, or the part of it that the answer is about. */
  durationMs: number;
  /** How long the file is that the answer is about. */
  seenMs: number;
  signal: AbortSignal;
  /** When the job ends. The second look ends before. */
  deadline: Date;
};

/** The second looks of one job: they share a budget and remember what they saw. */
export type SecondLooks = {
  take(answer: LookedAtAnswer): Promise<SecondLookResult>;
  /**
   * Reserves what a further attempt and its second look cost.
   *
   * @returns what replaces the reserved tokens by those that the attempt cost; undefined if the budget does not hold them.
   */
  reserveAttempt(): ((spent: number) => void) | undefined;
};

const maxLookMs = 60_000;
/** A further attempt costs more than the first: its prompt holds the earlier answer and what is wrong with it. */
const attemptFactor = 1.1;
/** Twice the tokens of the first pass. */
const budgetFactor = 2;
/** A guess at the first pass for a provider that does not count: tokens a second, and for the prompt. */
const guess = { perSecond: 102, prompt: 1500 };

/**
 * Opens the second looks of a job (docs/decisions/0001, "Second look"). What goes wrong in one leaves the answer as it is
 * and its times `not_checked`; only the end of the job's own signal rejects.
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
      // The further attempt needs a second look too, or nobody knows whether it is better. It asks only what earlier ones did not.
      if (!budget || budget.left() < reserved + budget.spent() / 2 || !budget.reserve(reserved)) return undefined;
      return (spent) => budget?.settle(reserved, spent);
    },
  };
}

/** Opens the budget of the second looks of a job: twice what the first pass cost, or is likely to have cost. */
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
