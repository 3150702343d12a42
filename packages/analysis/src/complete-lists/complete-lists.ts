import { type CompiledSchema, listItems, replaceValues, type SchemaWork } from "@video-to-json/schema";
import type { TokenCount } from "../analysis-provider.ts";
import { openBudget } from "../second-look/take-second-look.ts";
import { type AskWindowsDeps, askWindows, type WindowAnswer } from "./ask-windows.ts";
import type { ListEvent } from "./match-events.ts";
import { insertByTime, newEvents } from "./merge-events.ts";
import { windowLengthMs } from "./plan-windows.ts";
import { readEvents } from "./read-events.ts";

type CompleteDeps = AskWindowsDeps & { readonly sandbox: Pick<SchemaWork, "check" | "findTimes" | "findLists"> };

type Job = {
  jobId: string;
  schema: CompiledSchema;
  instructions: string | null;
  /** The start, the end and the length of the video, or of the part that the answer is about. */
  fromMs: number;
  durationMs: number;
  seenMs: number;
  signal: AbortSignal;
  /** The end of the job. The windows are asked before. */
  deadline: Date;
};

/** A conforming answer, and the JSON pointers of the items that were added to it. */
type CompletedAnswer = { text: string; added: readonly string[] };

/** The completeness passes of one job: they share a budget and remember what the windows showed. */
export type ListCompletions = {
  /** Adds what is missing from the answer's lists. */
  complete(answer: { text: string; tokens: TokenCount | undefined }): Promise<CompletedAnswer>;
  /** Removes items of a completed answer from later ones. */
  reject(completed: CompletedAnswer, pointers: readonly string[]): void;
};

const maxPassMs = 60_000;
/** Limits the time that it takes to try each of them alone. */
const maxAdded = 200;

/**
 * Opens the completeness passes of a job (docs/decisions/0004, "Complete lists"). A failure of a pass leaves the answer
 * unchanged. It rejects only when the job's own signal aborts.
 */
export function openListCompletions(deps: CompleteDeps, job: Job): ListCompletions {
  const { jobId, schema, fromMs, durationMs, seenMs, signal } = job;
  const part = { fromMs, toMs: durationMs };
  const { sandbox, log } = deps;
  const asked = new Map<string, WindowAnswer[]>();
  const rejected = new Set<string>();
  let budget: ReturnType<typeof openBudget> | undefined;

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

  async function answersAbout(pointers: readonly string[], open: ReturnType<typeof openBudget>) {
    const key = JSON.stringify(pointers);
    const known = asked.get(key);
    if (known) return known;
    const startedAt = Date.now();
    const passMs = Math.max(0, Math.min(maxPassMs, (job.deadline.getTime() - startedAt) / 3));
    const bounds = {
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.floor(passMs))]),
      deadline: new Date(startedAt + passMs),
    };
    const answers = await askWindows(deps, pointers, {
      ...job,
      part,
      firstPass: open.firstPass,
      budget: open,
      ...bounds,
    });
    signal.throwIfAborted();
    asked.set(key, answers);
    return answers;
  }

  async function merge(text: string, pointers: readonly string[], answers: readonly WindowAnswer[]) {
    let merged: CompletedAnswer = { text, added: [] };
    for (const pointer of pointers) {
      const lists = answers.map((answer) => listItems(answer.text, pointer));
      const { first, others } = await readEvents(deps, { text, schema, durationMs, signal }, pointer, lists);
      // A list with any item without a time has no order to keep.
      if (!first) continue;
      const windows = answers.map(({ window }, index) => ({ window, events: others[index] ?? [] }));
      const found = newEvents(first, windows, part).filter((event) => !rejected.has(`${pointer} ${event.text}`));
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
