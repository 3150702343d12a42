import type { Usage } from "@video-to-json/contract/dashboard/account";
import type { Split } from "./read-range.ts";

/** One part of each day's minutes. `seconds` has one entry per day. */
type Series = {
  /** Unique among the parts; names are not. */
  readonly id: string;
  readonly name: string;
  /** The custom property of the colour, without its hyphens. */
  readonly colour: string;
  readonly seconds: readonly number[];
};

/** The days of a chart and their parts, the lowest part first. */
export type DaySeries = { readonly days: readonly string[]; readonly parts: readonly Series[] };

const laneColours = 6;

/** Returns the days split by outcome or by key. A split by key counts billed minutes only. */
export function seriesOf(usage: Usage, split: Split): DaySeries {
  return { days: usage.days.map(({ day }) => day), parts: split === "outcome" ? byOutcome(usage) : byKey(usage) };
}

function byOutcome({ days }: Usage): Series[] {
  return [
    { id: "good", name: "Succeeded, billed", colour: "good-solid", seconds: days.map((day) => day.succeeded_seconds) },
    { id: "bad", name: "Failed, free", colour: "bad-solid", seconds: days.map((day) => day.failed_seconds) },
  ];
}

/** The keys that spent most, and one part for all others where colours are too few. */
function byKey({ days, keys }: Usage): Series[] {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const ids = [...new Set(days.flatMap((day) => day.keys.map(({ key_id }) => key_id)))];
  const all = ids
    .map((id) => ({
      id: id ?? "playground",
      name: id === null ? "Playground" : (names.get(id) ?? "A key"),
      seconds: days.map((day) => day.keys.find(({ key_id }) => key_id === id)?.succeeded_seconds ?? 0),
    }))
    .toSorted((one, other) => sum(other.seconds) - sum(one.seconds));
  const own = all.length > laneColours ? all.slice(0, laneColours - 1) : all;
  const others = all.slice(own.length);
  const rest = {
    id: "others",
    name: `${others.length} other keys`,
    seconds: days.map((_, day) => sum(others.map(({ seconds }) => seconds[day] ?? 0))),
  };
  const parts = others.length > 0 ? [...own, rest] : own;
  return parts.map((part, index) => ({ ...part, colour: `lane-${index + 1}` }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Returns the upper end of the axis for a number of minutes: a round number that is not less. */
export function axisEnd(minutes: number): number {
  if (minutes <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(minutes));
  const step = [1, 2, 4, 5, 10].find((candidate) => candidate * power >= minutes) ?? 10;
  return step * power;
}
