import type { Usage } from "@video-to-json/contract/dashboard/usage";
import type { Split } from "./read-range.ts";

/** One part of each day's minutes. `seconds` has one entry per day. */
type Series = { readonly name: string; readonly colour: string; readonly seconds: readonly number[] };

/** The days of a chart and their parts, the lowest part first. */
export type DaySeries = { readonly days: readonly string[]; readonly parts: readonly Series[] };

const laneColours = 6;

/** Returns the days split by outcome or by key. A split by key counts billed minutes only. */
export function seriesOf({ days, keys }: Usage, split: Split): DaySeries {
  const names = days.map(({ day }) => day);
  if (split === "outcome") {
    return {
      days: names,
      parts: [
        { name: "Succeeded, billed", colour: "good", seconds: days.map((day) => day.succeeded_seconds) },
        { name: "Failed, free", colour: "bad", seconds: days.map((day) => day.failed_seconds) },
      ],
    };
  }
  const ids = [...new Set(days.flatMap((day) => day.keys.map(({ key_id }) => key_id)))];
  const parts = ids.map((id, index) => ({
    name: id === null ? "Playground" : (keys.find((key) => key.id === id)?.name ?? "A key"),
    colour: `lane-${(index % laneColours) + 1}`,
    seconds: days.map((day) => day.keys.find(({ key_id }) => key_id === id)?.succeeded_seconds ?? 0),
  }));
  return { days: names, parts };
}

/** Returns the upper end of the axis: the next round number of minutes. */
export function axisEnd(minutes: number): number {
  if (minutes <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(minutes));
  const step = [1, 2, 4, 5, 10].find((candidate) => candidate * power >= minutes) ?? 10;
  return step * power;
}
