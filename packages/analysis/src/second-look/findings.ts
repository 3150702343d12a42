/** The result of a second look at a time. `not_checked`: without budget or time, or the provider failed. */
export type Verdict = "confirmed" | "moved" | "contradicted" | "unconfirmed" | "not_checked";

/** A part of the video, in milliseconds from its start. */
export type Span = { startMs: number; endMs: number };

/** The result of the second look at one time of an answer. */
export type TimeFinding = {
  verdict: Verdict;
  /** Where the second look saw it. For `moved`, the first span is the new time. Empty if it was not seen. */
  spans: readonly Span[];
  /** The part of the video in which the time was checked. Null if it was not checked. */
  checked: { fromMs: number; toMs: number } | null;
  /** The nearest cut, or edge of a silence, in that part. It never changes a time. Null if the part has no cut and no silence. */
  nearestCutMs: number | null;
  /** Clips with too few pictures did not show it. It is `unconfirmed`, because it may be too short for them. */
  isNotSeen?: boolean;
};

/**
 * The findings of a second look, each under the JSON pointer of its time in `data` (docs/decisions/0001, "Second look").
 * Every time of the answer has one.
 */
export type SecondLookFindings = ReadonlyMap<string, TimeFinding>;
