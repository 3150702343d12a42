import {
  type CompiledSchema,
  listItems,
  replaceValues,
  type SchemaWork,
  type TimeClaim,
  writeTime,
} from "@video-to-json/schema";
import { type ListEvent, wordsOf } from "./match-events.ts";

type Answer = { text: string; schema: CompiledSchema; durationMs: number; signal: AbortSignal };

/**
 * Reads the items of a list as events, with the times that the schema marks. Also reads further lists for the same
 * place: their items without a time are left out, and their clocks are written like those of the first list.
 *
 * @param others lists of items as JSON texts.
 * @returns the events of the list, undefined if one of them has no time; and the events of the other lists.
 * @throws as `sandbox.findTimes` does.
 */
export async function readEvents(
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
