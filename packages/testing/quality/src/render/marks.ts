import type { VideoEvent, VideoPlan } from "../cases/case.ts";

/** A mark of a video: its id in the strip, its span in milliseconds and its text. */
export type Mark = { id: number; startMs: number; endMs: number; text: string };

/** Returns the marks of a video: one for the facts about the whole video, and one for each event. */
export function marksOf({ durationMs, facts, events }: VideoPlan): Mark[] {
  const whole = { startMs: 0, endMs: durationMs, text: textOf("video", "sight", facts) };
  const ofEvents = events.map((event) => ({
    ...spanOf(event),
    text: textOf(event.label, event.via, event.attributes),
  }));
  return [whole, ...ofEvents].map((mark, index) => ({ id: index + 1, ...mark }));
}

function spanOf({ startMs, endMs }: VideoEvent) {
  return { startMs, endMs };
}

function textOf(label: string, via: string, attributes: VideoEvent["attributes"]): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  return [label, ...(via === "sight" ? [] : [`via=${via}`]), ...pairs].join("|");
}
