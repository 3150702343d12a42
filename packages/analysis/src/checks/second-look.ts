import type { SecondLook, SecondLookCounts } from "@video-to-json/contract";
import { steadyNow } from "@video-to-json/runtime/timing";
import type { SchemaWork, TimeClaim } from "@video-to-json/schema";
import type { TokenCount, VideoRun } from "../analysis-provider.ts";
import type { CheckedJob, ClipDeps } from "./ask-clips.ts";
import { type Budget, openBudget, shareOf } from "./budget.ts";
import type { SeenShifts } from "./calibrate.ts";
import { checkTimes, notChecked } from "./check-times.ts";
import { contradictionsOf } from "./correct-times.ts";
import type { SecondLookFindings } from "./judge-times.ts";
import { openSightingMemory } from "./look-at-claims.ts";
import { plain, type RunInThread } from "./run-in-thread.ts";
import type { Witness } from "./witness.ts";

type SecondLookDeps = ClipDeps & {
  readonly sandbox: Pick<SchemaWork, "findTimes">;
  readonly runInThread: RunInThread;
  /** Opens what is measured about the times of an answer. Undefined if nothing can be. */
  readonly openWitness?: (text: string, claims: readonly TimeClaim[], run: VideoRun) => Promise<Witness | undefined>;
};

type LookedAtJob = CheckedJob & { shifts: SeenShifts };

/** A conforming answer, and its price. */
type LookedAtAnswer = { text: string; tokens: TokenCount | undefined };

/** The result of a second look: the answer with corrected times, and the contradicted times as violations. */
export type SecondLookResult = {
  text: string;
  findings: SecondLookFindings;
  violations: string[];
  violationsForCaller: string[];
};

/** How many times the price of the first pass they may cost. The smaller one does not hold a further attempt. */
const budgetFactors = { off: 0, auto: 1, times: 2 } satisfies Record<SecondLook, number>;

/** The second looks of one job. They share a budget and remember their sightings. */
export type SecondLooks = {
  take(answer: LookedAtAnswer): Promise<SecondLookResult>;
  /** Reserves the price of a further attempt and its second look. */
  reserveAttempt: Budget["reserveAttempt"];
};

/**
 * Opens the second looks of a job (docs/decisions/0001, "Second look"). A failure leaves the answer unchanged and its
 * times `not_checked`. It rejects only when the job's own signal aborts.
 */
export function openSecondLooks(deps: SecondLookDeps, job: LookedAtJob, secondLook: SecondLook = "times"): SecondLooks {
  const { jobId, schema, seen, shifts, signal } = job;
  const durationMs = seen.toMs;
  const memories = { memory: openSightingMemory(), farMemory: openSightingMemory() };
  let budget: Budget | undefined;

  return {
    async take({ text, tokens }) {
      budget ??= openBudget(tokens, seen.toMs - seen.fromMs, { factor: budgetFactors[secondLook] });
      const startedAt = steadyNow();
      let claims: readonly TimeClaim[] = [];
      const run = shareOf(job, 1 / 2);
      try {
        claims = await deps.sandbox.findTimes(schema, text, durationMs, signal);
        const before = budget.spent();
        const witness = await deps.openWitness?.(text, claims, run);
        const found = await checkTimes(deps, claims, {
          ...{ jobId, shifts, durationMs, budget, keptDollars: budget.attemptDollars },
          ...memories,
          ...run,
          ...(witness && { witness }),
        });
        signal.throwIfAborted();
        const looked = { text, schema: plain(schema), durationMs, claims, findings: found };
        const corrected = await deps.runInThread("moveTimes", looked, signal);
        const verdicts = countVerdicts(corrected.findings);
        const spent = budget.spent() - before;
        const facts = {
          jobId,
          ...verdicts,
          dollars: spent,
          firstPassDollars: tokens?.dollars,
          ms: steadyNow() - startedAt,
        };
        deps.log.info(facts, "second look taken");
        return { ...corrected, ...contradictionsOf(claims, corrected.findings) };
      } catch (error) {
        signal.throwIfAborted();
        deps.log.warn({ jobId, err: error }, "second look failed; the first answer counts");
        const findings = new Map(claims.map(({ pointer }) => [pointer, notChecked]));
        return { text, findings, violations: [], violationsForCaller: [] };
      }
    },
    reserveAttempt: () => budget?.reserveAttempt(),
  };
}

/**
 * Looks at the times of an answer in narrow clips, as a second look does, and changes nothing.
 *
 * @returns a finding for each time, under its pointer.
 * @throws the reason of `run.signal`, and the errors of `sandbox.findTimes`.
 */
export async function lookAtTimes(
  deps: ClipDeps & Pick<SecondLookDeps, "sandbox" | "openWitness">,
  { jobId, schema, seen, shifts }: Pick<LookedAtJob, "jobId" | "schema" | "seen" | "shifts">,
  text: string,
  { budget, ...run }: VideoRun & { budget: Budget },
): Promise<SecondLookFindings> {
  const claims = await deps.sandbox.findTimes(schema, text, seen.toMs, run.signal);
  const witness = await deps.openWitness?.(text, claims, run);
  const memories = { memory: openSightingMemory(), farMemory: openSightingMemory() };
  return checkTimes(deps, claims, {
    ...{ jobId, shifts, durationMs: seen.toMs, budget, keptDollars: 0 },
    ...memories,
    ...run,
    ...(witness && { witness }),
  });
}

/** Returns how many times got each verdict. */
export function countVerdicts(findings: SecondLookFindings): SecondLookCounts {
  const counts = { confirmed: 0, moved: 0, contradicted: 0, unconfirmed: 0, not_checked: 0 };
  for (const { verdict } of findings.values()) counts[verdict]++;
  return counts;
}
