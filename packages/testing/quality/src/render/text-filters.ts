import type { Show, VideoPlan } from "../cases/case.ts";
import { strip } from "./mark-strip.ts";

/** A text to draw: the name of its file, what the file contains, and the filter that draws it. */
export type TextFilter = { file: string; text: string; filter: string };

const margin = 6;

/** Returns the filters of ffmpeg that draw the texts of a video, in the folder where the files of the texts are. */
export function textFilters(plan: VideoPlan, font: string): TextFilter[] {
  const shown = plan.events.flatMap(({ startMs, endMs, shows }) =>
    shows.map((show) => ({ show, when: `gte(t,${startMs / 1000})*lt(t,${endMs / 1000})` })),
  );
  return shown.flatMap(({ show, when }, index): TextFilter[] => {
    const file = `text-${index}.txt`;
    const common = `fontfile='${font}':fontcolor=white:box=1:boxcolor=black:boxborderw=3:enable='${when}'`;
    if (show.kind === "text") {
      const place = `x=(w-text_w)/2:y=${top(show)}`;
      const filter = `drawtext=textfile=${file}:expansion=none:fontsize=${show.size}:${place}:${common}`;
      return [{ file, text: show.text, filter }];
    }
    if (show.kind !== "clock") return [];
    const place = `x=w-text_w-${margin}:y=${strip.top - 22}`;
    const text = `%{pts:gmtime:${show.from}:%H\\:%M\\:%S}`;
    return [{ file, text, filter: `drawtext=textfile=${file}:expansion=normal:fontsize=14:${place}:${common}` }];
  });
}

function top({ size, place }: Show & { kind: "text" }): number {
  if (place === "top") return margin;
  return place === "middle" ? Math.round(strip.top / 2 - size) : strip.top - size - margin;
}
