import type { Mark, Span } from "./evidence.ts";
import type { Strip } from "./mark-strip.ts";

/** Frames without a readable strip, at most, inside a mark. */
const maxGapFrames = 6;
/** The smallest share of a mark of sound that is not silent. */
const minAudible = 0.4;

/**
 * Returns the marks of a video in order of time, from the strips of its frames. A mark of speech or sound counts only
 * where the video is not silent.
 */
export function findMarks(strips: readonly (Strip | undefined)[], frameMs: number, silent: readonly Span[]): Mark[] {
  const texts = new Map<number, string>();
  for (const strip of strips) if (strip?.record) texts.set(strip.record.id, strip.record.text);
  const open = new Map<number, { from: number; to: number }>();
  const runs: { id: number; from: number; to: number }[] = [];
  const close = (id: number) => {
    const run = open.get(id);
    if (run) runs.push({ id, ...run });
    open.delete(id);
  };
  for (const [index, strip] of strips.entries()) {
    if (!strip) continue;
    for (const [id, run] of open) {
      if (index - run.to > maxGapFrames || !strip.active.includes(id)) close(id);
    }
    for (const id of strip.active) {
      const run = open.get(id);
      if (run) run.to = index + 1;
      else open.set(id, { from: index, to: index + 1 });
    }
  }
  for (const id of [...open.keys()]) close(id);
  return runs
    .flatMap(({ id, from, to }) => markOf(texts.get(id), { startMs: from * frameMs, endMs: to * frameMs }))
    .filter((mark) => isAudible(mark, silent))
    .sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
}

function markOf(text: string | undefined, span: Span): Mark[] {
  if (text === undefined) return [];
  const [label = "", ...pairs] = text.split("|");
  const values = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const { via = "sight", ...attributes } = Object.fromEntries(values);
  return [{ ...span, label, via, attributes }];
}

function isAudible({ via, startMs, endMs }: Mark, silent: readonly Span[]): boolean {
  if (via !== "speech" && via !== "sound") return true;
  const quiet = silent.reduce(
    (sum, span) => sum + Math.max(0, Math.min(span.endMs, endMs) - Math.max(span.startMs, startMs)),
    0,
  );
  return 1 - quiet / (endMs - startMs) >= minAudible;
}
