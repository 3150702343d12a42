import type { Mark } from "../../evidence/evidence.ts";
import { videoLabel } from "./choose-marks.ts";

/** A part of a video that shows a field. Times are in milliseconds. */
export type ShownPart = {
  startMs: number;
  endMs: number;
  modality: "visual" | "speech" | "text";
  quote?: string;
};

/** The parts of a field that a search uses: its time or the time beside it, and its text. */
export type Wanted = { timeMs: number | undefined; timeBesideMs: number | undefined; text: string | undefined };

const momentMs = 1_000;

/** Returns the parts of a video that show a field, according to its marks. Empty if no mark shows it. */
export function findMarkedMoments({ timeMs, timeBesideMs, text }: Wanted, marks: readonly Mark[]): ShownPart[] {
  const events = marks.filter(({ label }) => label !== videoLabel);
  if (timeMs !== undefined) return edgeAt(events, timeMs);
  const named = events.filter(({ attributes }) => text !== undefined && Object.values(attributes).includes(text));
  const beside = timeBesideMs === undefined ? undefined : events.filter(({ startMs }) => isIn(startMs, timeBesideMs));
  const found = beside ? (named.filter((mark) => beside.includes(mark))[0] ?? beside[0]) : undefined;
  const all = beside ? (found ? [found] : []) : named;
  return all.map((mark) => ({
    ...partOf(mark),
    ...(mark.via === "text" && named.includes(mark) && text ? { quote: text } : {}),
  }));
}

/** Returns the beginning, or else the end, of a mark in the second of a time. */
function edgeAt(events: readonly Mark[], ms: number): ShownPart[] {
  const begins = events.find(({ startMs }) => isIn(startMs, ms));
  if (begins) return [{ ...partOf(begins), endMs: Math.min(begins.endMs, begins.startMs + 3 * momentMs) }];
  const ends = events.find(({ endMs }) => isIn(endMs, ms));
  return ends ? [{ ...partOf(ends), startMs: Math.max(ends.startMs, ends.endMs - momentMs) }] : [];
}

function partOf({ startMs, endMs, via }: Mark): ShownPart {
  return { startMs, endMs, modality: via === "text" || via === "speech" ? via : "visual" };
}

function isIn(time: number, second: number): boolean {
  return time >= second && time < second + momentMs;
}
