import {
  type CompiledSchema,
  listItems,
  replaceValues,
  type SchemaWork,
  type TimeClaim,
  writeTime,
} from "@video-to-json/schema";
import type { TokenCount } from "../analysis-provider.ts";
import { askClips, type CheckedJob, type ClipDeps, type PlannedQuestion } from "./ask-clips.ts";
import { type Budget, openBudget, shareOf } from "./budget.ts";
import { type ClipWindow, withoutMarkdown } from "./clip-question.ts";
import { insertByTime, type ListEvent, newEvents, wordsOf } from "./merge-events.ts";
import { planWindows, windowLengthMs } from "./plan-clips.ts";
import { windowQuestion, windowSchema } from "./window-question.ts";

type CompleteDeps = ClipDeps & { readonly sandbox: Pick<SchemaWork, "check" | "findTimes" | "findLists"> };

/** A conforming answer, and the JSON pointers of the items that were added to it. */
type CompletedAnswer = { text: string; added: readonly string[] };

/** The completeness passes of one job: they share a budget and remember what the windows showed. */
export type ListCompletions = {
  /** Adds what is missing from the answer's lists. */
  complete(answer: { text: string; tokens: TokenCount | undefined }): Promise<CompletedAnswer>;
  /** Removes items of a completed answer from later ones. */
  reject(completed: CompletedAnswer, pointers: readonly string[]): void;
};

/** The answer about one window, as the model wrote it. */
type WindowAnswer = { window: ClipWindow; text: string };

const framesPerSecond = 1;
/** The tokens of an answer are reserved as if it had this many items. */
const itemsGuessed = 6;
/** Limits the time that it takes to try each of them alone. */
const maxAdded = 200;

/**
 * Opens the completeness passes of a job (docs/decisions/0004, "Complete lists"). A failure of a pass leaves the answer
 * unchanged. It rejects only when the job's own signal aborts.
 */
export function openListCompletions(deps: CompleteDeps, job: CheckedJob): ListCompletions {
  const { jobId, schema, seen, signal } = job;
  const durationMs = seen.toMs;
  const seenMs = seen.toMs - seen.fromMs;
  const { sandbox, log } = deps;
  const asked = new Map<string, WindowAnswer[]>();
  const rejected = new Set<string>();
  let budget: Budget | undefined;

  return {
    async complete({ text, tokens }) {
      const unchanged = { text, added: [] };
      if (seenMs <= windowLengthMs) return unchanged;
      const startedAt = Date.now();
      try {
        const pointers = await sandbox.findLists(schema, text, signal);
        if (pointers.length === 0) return unchanged;
        budget ??= openBudget(tokens, seenMs);
        const answers = await answersAbout(pointers, budget);
        const merged = await merge(text, pointers, answers);
        const facts = { windows: answers.length, added: merged.added.length, tokens: budget.spent() };
        log.info({ jobId, ...facts, firstPassTokens: tokens?.total, ms: Date.now() - startedAt }, "lists completed");
        return merged;
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ jobId, err: error }, "lists not completed; the first answer counts");
        return unchanged;
      }
    },
    reject({ text }, pointers) {
      for (const pointer of pointers) {
        const [, list = "", index = ""] = /^(.*)\/(\d+)$/.exec(pointer) ?? [];
        const item = listItems(text, list)[Number(index)];
        if (item !== undefined) rejected.add(`${list} ${item}`);
      }
    },
  };

  /** Asks, window by window, for the items of the lists. A window without budget, time or answer is missing. */
  async function answersAbout(pointers: readonly string[], budget: Budget): Promise<WindowAnswer[]> {
    const key = JSON.stringify(pointers);
    const known = asked.get(key);
    if (known) return known;
    const run = { jobId, budget, ...shareOf(job, 1 / 3) };
    const replies = await askClips(deps, plan(pointers, budget), run);
    signal.throwIfAborted();
    const answers = replies.map(({ clip: { window }, text }) => ({ window, text: withoutMarkdown(text) }));
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
      const tokens = budget.priceOf({ lengthMs, framesPerSecond, questions: itemsGuessed, textLength });
      const question = windowQuestion(window, { schemaText, responseSchema, instructions });
      return { window, framesPerSecond, tokens, question };
    });
  }

  async function merge(text: string, pointers: readonly string[], answers: readonly WindowAnswer[]) {
    let merged: CompletedAnswer = { text, added: [] };
    for (const pointer of pointers) {
      const lists = answers.map((answer) => listItems(answer.text, pointer));
      const { first, others } = await readEvents(deps, { text, schema, durationMs, signal }, pointer, lists);
      // A list with any item without a time has no order to keep.
      if (!first) continue;
      const windows = answers.map(({ window }, index) => ({ window, events: others[index] ?? [] }));
      const found = newEvents(first, windows, seen).filter((event) => !rejected.has(`${pointer} ${event.text}`));
      merged = await addTo(merged, pointer, first, found.slice(0, maxAdded));
    }
    return merged;
  }

  /** Adds events to a list: all that the schema allows there, or no event if it does not allow them together. */
  async function addTo(
    answer: CompletedAnswer,
    pointer: string,
    first: readonly ListEvent[],
    events: readonly ListEvent[],
  ): Promise<CompletedAnswer> {
    const all = await written(answer, pointer, first, events);
    if (all) return all;
    const valid: ListEvent[] = [];
    for (const event of events) if (await written(answer, pointer, first, [event])) valid.push(event);
    return (await written(answer, pointer, first, valid)) ?? answer;
  }

  async function written(
    answer: CompletedAnswer,
    pointer: string,
    first: readonly ListEvent[],
    events: readonly ListEvent[],
  ): Promise<CompletedAnswer | undefined> {
    if (events.length === 0) return answer;
    const list = insertByTime(first, events);
    const text = replaceValues(answer.text, new Map([[pointer, `[${list.map((event) => event.text).join(",")}]`]]));
    const checked = await sandbox.check(schema, text, durationMs, signal);
    if (!checked.ok) return undefined;
    const added = list.flatMap((event, index) => (events.includes(event) ? [`${pointer}/${index}`] : []));
    return { text: checked.text, added: [...answer.added, ...added] };
  }
}

type Answer = { text: string; schema: CompiledSchema; durationMs: number; signal: AbortSignal };

/**
 * Reads the items of a list as events, with the times that the schema marks. Also reads further lists for the same
 * place: their items without a time are left out, and their clocks are written like those of the first list.
 *
 * @param others lists of items as JSON texts.
 * @returns the events of the list, undefined if one of them has no time; and the events of the other lists.
 * @throws as `sandbox.findTimes` does.
 */
async function readEvents(
  { sandbox }: { readonly sandbox: Pick<SchemaWork, "findTimes"> },
  { text, schema, durationMs, signal }: Answer,
  pointer: string,
  others: readonly (readonly string[])[],
): Promise<{ first: ListEvent[] | undefined; others: ListEvent[][] }> {
  const own = listItems(text, pointer);
  const items = [...own, ...others.flat()];
  const all = replaceValues(text, new Map([[pointer, `[${items.join(",")}]`]]));
  const claims = await sandbox.findTimes(schema, all, durationMs, signal);
  const byItem = Map.groupBy(
    claims.filter((claim) => claim.pointer.startsWith(`${pointer}/`)),
    (claim) => Number.parseInt(claim.pointer.slice(pointer.length + 1), 10),
  );
  const form = own.length > 0 ? byItem.get(0)?.find((claim) => claim.form.kind === "clock")?.form : undefined;
  const isOther = (claim: TimeClaim) => claim.form.kind === "clock" && indexOf(claim) >= own.length;
  const indexOf = (claim: TimeClaim) => Number.parseInt(claim.pointer.slice(pointer.length + 1), 10);
  const inForm = [...byItem.values()]
    .flat()
    .flatMap((claim) => (form && isOther(claim) ? [[claim.pointer, writeTime(claim.fromMs, form)] as const] : []));
  const texts = listItems(replaceValues(all, new Map(inForm)), pointer);
  const timeless = listItems(replaceValues(all, new Map(claims.map((claim) => [claim.pointer, "null"]))), pointer);
  const events = texts.map((item, index): ListEvent | undefined => {
    const times = byItem.get(index) ?? [];
    const start = times.find(({ edge }) => edge === "start") ?? times[0];
    if (!start) return undefined;
    const end = times.find((claim) => claim.pointer === start.otherEdge);
    return {
      text: item,
      startMs: start.fromMs,
      endMs: end?.fromMs ?? null,
      words: wordsOf(timeless[index] ?? "null"),
    };
  });
  let from = own.length;
  const first = events.slice(0, from);
  return {
    first: first.every((event) => event !== undefined) ? first : undefined,
    others: others.map(({ length }) => {
      const list = events.slice(from, from + length);
      from += length;
      return list.filter((event) => event !== undefined);
    }),
  };
}
