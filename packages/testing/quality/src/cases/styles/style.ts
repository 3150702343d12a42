import type { VideoPlan } from "../case.ts";
import type { Draw } from "../draw.ts";
import type { Spec } from "../spec.ts";

/** A style of the cookbook: what its videos show and what its schemas ask. */
export type Style = { name: string; needsSpeech: boolean; make(draw: Draw): { plan: VideoPlan; spec: Spec } };

/** Colours that are far apart, by name. */
export const eventColors = ["red", "green", "blue", "yellow", "magenta", "cyan", "orange", "white"];
export const backgrounds = ["gray", "navy", "darkgreen", "maroon", "black"];
export const names = ["Ann", "Ben", "Chloe", "Dan", "Eva", "Finn", "Grace", "Hugo"];

/** Returns a length of a video in milliseconds, in whole seconds. */
export function secondsBetween(draw: Draw, min: number, max: number): number {
  return draw.whole(min, max) * 1000;
}
