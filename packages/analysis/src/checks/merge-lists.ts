import { type CompiledSchema, listItems, replaceValues, type TimeClaim, writeTime } from "@video-to-json/schema";
import { checkHere, findTimesHere } from "@video-to-json/schema/thread";
import type { ClipWindow } from "./clip-question.ts";
import { insertByTime, type ListEvent, newEvents, wordsOfValues } from "./merge-events.ts";

/** An item that was added to an answer: its JSON pointer, the pointer of its list, and its JSON. */
export type AddedItem = { pointer: string; list: string; text: string };

/** A conforming answer, and the items that were added to it. */
export type CompletedAnswer = { text: string; added: readonly AddedItem[] };

/** The answer about one window, as the model wrote it. */
export type WindowAnswer = { window: ClipWindow; text: string };

type ToMerge = {
  /** The first answer, which conforms to the schema. */
  text: string;
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  /** The JSON pointers of the lists to complete. */
  pointers: readonly string[];
  answers: readonly WindowAnswer[];
  /** The part of the video that the answers are about, or the whole video. */
  seen: ClipWindow;
  /** Items that no answer may get. */
  rejected: readonly Omit<AddedItem, "pointer">[];
};

/** Limits the time that it takes to try each of them alone. */
const maxAdded = 200;

/**
 * Adds to the lists of an answer the events that only the answers about its windows have. For use inside the sandbox
 * only.
 */
export function addEvents({ text, schema, pointers, answers, seen, rejected }: ToMerge): CompletedAnswer {
  let merged: CompletedAnswer = { text, added: [] };
  for (const pointer of pointers) {
    const lists = answers.map((answer) => listItems(answer.text, pointer));
    const { first, others } = readEvents({ text, schema, seen }, pointer, lists);
    // A list with any item without a time has no order to keep.
    if (!first) continue;
    const windows = answers.map(({ window }, index) => ({ window, events: others[index] ?? [] }));
    const unwanted = new Set(rejected.flatMap((item) => (item.list === pointer ? [item.text] : [])));
    const found = newEvents(first, windows, seen).filter((event) => !unwanted.has(event.text));
    merged = addTo(merged, pointer, first, found.slice(0, maxAdded));
  }
  return merged;

  /** Adds events to a list: all that the schema allows there, or no event if it does not allow them together. */
  function addTo(
    answer: CompletedAnswer,
    list: string,
    first: readonly ListEvent[],
    events: readonly ListEvent[],
  ): CompletedAnswer {
    const all = written(answer, list, first, events);
    if (all) return all;
    const valid = events.filter((event) => written(answer, list, first, [event]));
    return written(answer, list, first, valid) ?? answer;
  }

  function written(
    answer: CompletedAnswer,
    list: string,
    first: readonly ListEvent[],
    events: readonly ListEvent[],
  ): CompletedAnswer | undefined {
    if (events.length === 0) return answer;
    const items = insertByTime(first, events);
    const changed = replaceValues(answer.text, new Map([[list, `[${items.map((event) => event.text).join(",")}]`]]));
    const checked = checkHere(schema, changed, seen.toMs);
    if (!checked.ok) return undefined;
    const added = items.flatMap((event, index) =>
      events.includes(event) ? [{ pointer: `${list}/${index}`, list, text: event.text }] : [],
    );
    return { text: checked.text, added: [...answer.added, ...added] };
  }
}

/**
 * Reads the items of a list as events, with the times that the schema marks. Also reads further lists for the same
 * place: their items without a time are left out, and their clocks are written like those of the first list.
 *
 * @param others lists of items as JSON texts.
 * @returns the events of the list, undefined if one of them has no time; and the events of the other lists.
 */
function readEvents(
  { text, schema, seen }: Pick<ToMerge, "text" | "schema" | "seen">,
  pointer: string,
  others: readonly (readonly string[])[],
): { first: ListEvent[] | undefined; others: ListEvent[][] } {
  const own = listItems(text, pointer);
  const items = [...own, ...others.flat()];
  const all = replaceValues(text, new Map([[pointer, `[${items.join(",")}]`]]));
  const claims = findTimesHere(schema, all, seen.toMs);
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
      words: wordsOfValues(timeless[index] ?? "null"),
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
