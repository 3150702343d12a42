import type { Show, Span, Value, VideoEvent, VideoPlan } from "./case.ts";
import type { Draw } from "./seeds.ts";
import type { ListSpec, MomentSpec, Spec, ValueField } from "./spec.ts";

/** A style of the cookbook: what its videos show and what its schemas ask. */
export type Style = { name: string; needsSpeech?: true; make(draw: Draw): { plan: VideoPlan; spec: Spec } };

/** Colours that are far apart, by name. */
export const eventColors = ["red", "green", "blue", "yellow", "magenta", "cyan", "orange", "white"];
export const backgrounds = ["gray", "navy", "darkgreen", "maroon", "black"];
export const names = ["Ann", "Ben", "Chloe", "Dan", "Eva", "Finn", "Grace", "Hugo"];

/** Returns a length of a video in milliseconds, in whole seconds. */
export function secondsBetween(draw: Draw, min: number, max: number): number {
  return draw.whole(min, max) * 1000;
}

/** Where events may be. Times are milliseconds. */
type Placement = { durationMs: number; count: number; minMs: number; maxMs: number };

/** The grid of the times: the length of a frame. */
const stepMs = 100;
const marginMs = 1000;

/**
 * Returns spans in order of time that do not overlap, in slots of equal length. Half of the starts are whole seconds. A
 * span is shortened to fit its slot.
 */
export function placeEvents(draw: Draw, { durationMs, count, minMs, maxMs }: Placement): Span[] {
  const slotMs = (durationMs - 2 * marginMs) / count;
  return Array.from({ length: count }, (_, index) => {
    const longest = Math.max(stepMs * 5, Math.min(maxMs, slotMs - marginMs));
    const length = draw.whole(Math.min(minMs, longest) / stepMs, Math.floor(longest / stepMs)) * stepMs;
    const room = Math.max(0, slotMs - length - marginMs);
    const unit = draw.chance(0.5) ? 1000 : stepMs;
    const from = marginMs + index * slotMs;
    const startMs = Math.ceil((from + draw.whole(0, Math.floor(room / stepMs)) * stepMs) / unit) * unit;
    return { startMs, endMs: Math.min(startMs + length, durationMs) };
  });
}

/** Returns spans that follow each other without a gap and fill a video. All but the last start on whole seconds. */
export function splitTime(draw: Draw, { durationMs, count, minMs }: Omit<Placement, "maxMs">): Span[] {
  const least = Math.ceil(minMs / 1000);
  const spare = Math.max(0, Math.floor(durationMs / 1000) - count * least);
  const cuts = Array.from({ length: count - 1 }, () => draw.whole(0, spare)).sort((a, b) => a - b);
  const starts = [0, ...cuts.map((cut, index) => (cut + (index + 1) * least) * 1000)];
  return starts.map((startMs, index) => ({ startMs, endMs: starts[index + 1] ?? durationMs }));
}

/** Returns an event. `label` names the way to notice it too where that is not sight: `alarm via sound`. */
export function event(
  labelVia: string,
  { startMs, endMs }: Span,
  attributes: Record<string, Value>,
  ...shows: Show[]
): VideoEvent {
  const [label = "", via = "sight"] = labelVia.split(" via ");
  return { label, startMs, endMs, via: via as VideoEvent["via"], attributes, shows };
}

type Place = (Show & { kind: "text" })["place"];

export function text(text: string, size: number, place: Place): Show {
  return { kind: "text", text, size, place };
}

export function shape(shape: (Show & { kind: "shape" })["shape"], color: string, moves: boolean): Show {
  return { kind: "shape", shape, color, moves };
}

/** Returns a field. A key with a question mark is optional. */
export function field(key: string, type: ValueField["type"], about: string): ValueField {
  return key.endsWith("?") ? { key: key.slice(0, -1), type, about, optional: true } : { key, type, about };
}

/** Returns a time of the first or last event of a label, such as `first start of alarm`. */
export function moment(key: string, which: string, about: string): MomentSpec {
  const [, nth, edge, label = ""] = /^(first|last) (start|end) of (.*)$/.exec(which) ?? [];
  return { key, label, nth: nth as MomentSpec["nth"], edge: edge as MomentSpec["edge"], about };
}

/** Returns a list. An item has a start and an end, or only `at`. */
export function list(
  key: string,
  label: string,
  times: "start and end" | "at",
  about: string,
  ...fields: ValueField[]
): ListSpec {
  const keys = times === "at" ? { startKey: "at", endKey: null } : { startKey: "start", endKey: "end" };
  return { key, label, ...keys, about, fields };
}
