import { steadyNow } from "@video-to-json/runtime/timing";
import type { SchemaWork, TimeClaim } from "@video-to-json/schema";
import type { TokenCount } from "../analysis-provider.ts";
import { askClips, type CheckedJob, type ClipDeps, type PlannedQuestion } from "./ask-clips.ts";
import { type Budget, openBudget, shareOf } from "./budget.ts";
import { withoutMarkdown } from "./clip-question.ts";
import { lookAtClaims, type Observation } from "./look-at-claims.ts";
import type { AddedItem, CompletedAnswer, WindowAnswer } from "./merge-lists.ts";
import { choosePlan, type Plan, planWindows, windowLengthMs } from "./plan-clips.ts";
import { plain, type RunInThread } from "./run-in-thread.ts";
import { windowQuestion, windowSchema } from "./window-question.ts";

type CompleteDeps = ClipDeps & {
  readonly sandbox: Pick<SchemaWork, "findLists" | "findTimes">;
  readonly runInThread: RunInThread;
};

/** The completeness passes of one job: they share a budget and remember what the windows showed. */
export type ListCompletions = {
  /** Adds what is missing from the answer's lists. */
  complete(answer: { text: string; tokens: TokenCount | undefined }): Promise<CompletedAnswer>;
  /** Leaves added items out of later answers. */
  reject(items: readonly AddedItem[]): void;
};

const framesPerSecond = 1;
/** The windows cost about 1.3 times the first pass, and a look at each of many new items as much again. */
const budgetFactor = 3;
/** How to look at an added item again, and how far from it the second look may see it. */
const narrowPlans: readonly Plan[] = [
  { framesPerSecond: 2, maxLengthMs: 24_000, reachMs: 5_000 },
  { framesPerSecond: 1, maxLengthMs: 40_000, reachMs: 4_000 },
  { framesPerSecond: 1, maxLengthMs: 120_000, reachMs: 3_000 },
  { framesPerSecond: 0.5, maxLengthMs: 120_000, reachMs: 3_000 },
];
const nearMs = 3_000;
/** The price of an answer is reserved as if it had this many items. */
const itemsGuessed = 6;
/** The answer about two minutes is never longer. */
const maxWindowLength = 256 * 1024;
/** An answer with more lists of moments has no room for a second description of each. */
const maxLists = 20;

/**
 * Opens the completeness passes of a job (docs/decisions/0004, "Complete lists"). A failure of a pass leaves the answer
 * unchanged. It rejects only when the job's own signal aborts.
 *
 * @param job `isLookedAtTwice`: a second look follows, which looks at the added items too.
 */
export function openListCompletions(
  deps: CompleteDeps,
  job: CheckedJob & { isLookedAtTwice: boolean },
): ListCompletions {
  const { jobId, schema, seen, signal } = job;
  const seenMs = seen.toMs - seen.fromMs;
  const { sandbox, runInThread, log } = deps;
  const asked = new Map<string, WindowAnswer[]>();
  const rejected: AddedItem[] = [];
  let budget: Budget | undefined;

  return {
    async complete({ text, tokens }) {
      const unchanged = { text, added: [] };
      if (seenMs <= windowLengthMs) return unchanged;
      const startedAt = steadyNow();
      try {
        const pointers = (await sandbox.findLists(schema, text, signal)).slice(0, maxLists);
        if (pointers.length === 0) return unchanged;
        budget ??= openBudget(tokens, seenMs, { factor: budgetFactor });
        const answers = await answersAbout(pointers, budget);
        const work = { text, schema: plain(schema), pointers, answers, seen, rejected };
        const found = await runInThread("addEvents", work, signal);
        rejected.push(...(await unseen(found, budget)));
        const merged = await runInThread("addEvents", { ...work, rejected }, signal);
        const facts = { windows: answers.length, added: merged.added.length, dollars: budget.spent() };
        log.info(
          { jobId, ...facts, firstPassDollars: tokens?.dollars, ms: steadyNow() - startedAt },
          "lists completed",
        );
        return merged;
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ jobId, err: error }, "lists not completed; the first answer counts");
        return unchanged;
      }
    },
    reject(items) {
      rejected.push(...items);
    },
  };

  /** Looks at each added item again, in a narrow clip, and returns those that this second look does not see. */
  async function unseen({ text, added }: CompletedAnswer, budget: Budget): Promise<readonly AddedItem[]> {
    if (added.length === 0 || job.isLookedAtTwice) return [];
    const times = await sandbox.findTimes(schema, text, seen.toMs, signal);
    const itemOf = ({ pointer }: TimeClaim) =>
      added.find((item) => pointer === item.pointer || pointer.startsWith(`${item.pointer}/`));
    const claims = times.filter((claim) => itemOf(claim) && claim.edge === "start");
    const run = { jobId, budget, ...shareOf(job, 1 / 3) };
    const looked = new Map<TimeClaim, Observation>();
    for (let open = claims; open.length > 0; ) {
      const bounds = { budget, durationMs: seen.toMs, maxDollars: budget.left(), plans: narrowPlans };
      const more = await lookAtClaims(deps, choosePlan(open, bounds), run);
      for (const [claim, observation] of more) looked.set(claim, observation);
      // The clips cost less than expected. The rest of the money pays for clips that the budget did not allow before.
      open = more.size === 0 ? [] : open.filter((claim) => !looked.has(claim));
    }
    signal.throwIfAborted();
    const agreed = [...looked].flatMap(([claim, { sighting }]) =>
      sighting.spans.some(({ startMs, endMs }) => claim.fromMs >= startMs - nearMs && claim.fromMs <= endMs + nearMs)
        ? [itemOf(claim)]
        : [],
    );
    return added.filter((item) => !agreed.includes(item));
  }

  /** Asks, window by window, for the items of the lists. A window without budget, time or answer is missing. */
  async function answersAbout(pointers: readonly string[], budget: Budget): Promise<WindowAnswer[]> {
    const key = JSON.stringify(pointers);
    const known = asked.get(key);
    if (known) return known;
    const run = { jobId, budget, ...shareOf(job, 1 / 3) };
    const replies = await askClips(deps, plan(pointers, budget), run);
    signal.throwIfAborted();
    const answers = replies
      .filter(({ text }) => text.length <= maxWindowLength)
      .map(({ clip: { window }, text }) => ({ window, text: withoutMarkdown(text) }));
    asked.set(key, answers);
    return answers;
  }

  /** Returns the windows, each with its question. None if the schema does not show the lists. */
  function plan(pointers: readonly string[], budget: Budget): PlannedQuestion[] {
    const asked = windowSchema(JSON.parse(schema.fullText), pointers);
    if (!asked) return [];
    const schemaText = JSON.stringify(asked);
    const responseSchema = (schema.lean && windowSchema(schema.lean, pointers)) ?? null;
    const { instructions } = job;
    const textLength = 2 * schemaText.length + (instructions?.length ?? 0);
    return planWindows(seen).map((window) => {
      const lengthMs = window.toMs - window.fromMs;
      const dollars = budget.priceOf({ lengthMs, framesPerSecond, questions: itemsGuessed, textLength });
      const question = windowQuestion(window, { schemaText, responseSchema, instructions });
      return { window, framesPerSecond, dollars, question };
    });
  }
}
