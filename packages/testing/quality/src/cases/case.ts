/** A value of an answer that is not a time. */
export type Value = string | number | boolean;

/** What a video shows or plays while an event lasts. */
export type Show =
  | { kind: "shape"; shape: "square" | "circle" | "triangle"; color: string; moves: boolean }
  | { kind: "text"; text: string; size: number; place: "top" | "middle" | "bottom" }
  /** A running clock of the scene, from a time of day in seconds. It does not count from the start of the video. */
  | { kind: "clock"; from: number }
  | { kind: "background"; color: string }
  | { kind: "beep"; hertz: number }
  | { kind: "speech"; words: string };

/** How a viewer notices an event. */
type Via = "sight" | "text" | "sound" | "speech";

/** Something that happens in a video. Times are milliseconds from its start. */
export type VideoEvent = {
  label: string;
  startMs: number;
  endMs: number;
  via: Via;
  attributes: Record<string, Value>;
  shows: Show[];
};

export type VideoPlan = {
  durationMs: number;
  background: string;
  /** Facts about the whole video, by the name that schemas use. */
  facts: Record<string, Value>;
  events: VideoEvent[];
};

/** When an event lasts, in milliseconds from the start of the video. */
export type Span = { startMs: number; endMs: number };

/** A time of the truth: its place in the answer, when it happens, and its event. */
type TrueTime = { pointer: string; ms: number; span: Span };

/** An item of a list of the truth. */
export type TrueItem = {
  span: Span;
  times: Record<string, number>;
  values: Record<string, Value>;
  /** Keys that the item must not have. */
  absent: string[];
};

/** A list of the truth. The start and the end of its items have these keys. */
export type TrueList = { pointer: string; startKey: string; endKey: string | null; items: TrueItem[] };

/** The right answer to a case. */
export type Truth = {
  values: { pointer: string; value: Value }[];
  times: TrueTime[];
  lists: TrueList[];
  /** Pointers whose value must be missing or empty, because the things never happen. */
  absent: string[];
};
