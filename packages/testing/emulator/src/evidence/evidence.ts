/** A part of a video: its start and end in milliseconds. */
export type Span = { startMs: number; endMs: number };

/**
 * Something that happens in a video: what, its attributes, and whether one sees it or hears it (`sight`, `text`, `sound`,
 * `speech`). The mark `video` holds facts about the whole video.
 */
export type Mark = Span & { label: string; via: string; attributes: Record<string, string> };

/** What a video shows and plays. */
export type Evidence = {
  durationMs: number;
  hasAudio: boolean;
  /** The marks in order of time. */
  marks: Mark[];
  /** The pictures themselves say what happens (README, "Marks"). Otherwise the marks say what a short look finds. */
  isMarked: boolean;
};

/** The evidence of a request without a video. */
export const noEvidence: Evidence = { durationMs: 0, hasAudio: false, marks: [], isMarked: false };

/** The evidence of a clip, and what its clock shows in the first picture, or null if that cannot be read. */
export type ClipEvidence = { evidence: Evidence; clockMs: number | null };

/** Returns how long two spans overlap, in milliseconds. Not positive if they do not. */
export function overlap(one: Span, other: Span): number {
  return Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs);
}

/** Returns what a clip shows with the times of its clock, or with its own times if the clock cannot be read. */
export function byClock({ evidence, clockMs }: ClipEvidence): Evidence {
  const laterMs = clockMs ?? 0;
  const marks = evidence.marks.map((mark) => ({
    ...mark,
    startMs: mark.startMs + laterMs,
    endMs: mark.endMs + laterMs,
  }));
  return { ...evidence, durationMs: evidence.durationMs + laterMs, marks };
}
