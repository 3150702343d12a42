import { randomFrom } from "@video-to-json/testing/running";
import { renderVideo } from "../render/render-video.ts";
import { canSpeak } from "../render/soundtrack.ts";
import type { Span, Truth, VideoEvent, VideoPlan } from "./case.ts";
import { plainKey, readMoment, type Spec, writeJsonSchema, writeSketch } from "./spec.ts";
import specs from "./specs.json" with { type: "json" };
import { styles } from "./styles.ts";

/** Returns the case of a seed. The same seed always gives the same case. Seeds that follow each other have all styles. */
export function makeCase(seed: number) {
  const draw = randomFrom(seed);
  const names = Object.keys(styles);
  const style = names[seed % names.length] ?? "";
  const isSketch = draw.chance(0.5);
  const plan = styles[style]?.(draw);
  const spec = (specs as Readonly<Record<string, Spec>>)[style];
  if (!plan || !spec) throw new Error(`There is no style ${style}.`);
  return { id: `${seed}-${style}`, seed, style, plan, durationMs: plan.durationMs, ...askFor(spec, plan, isSketch) };
}

/** A question with its right answer: a video, and the schema to ask it with. */
export type Case = { id: string; schema: unknown; truth: Truth; durationMs: number; video(): Promise<Buffer> };

/** Returns the schema of a spec, and the right answer to it for a video. */
export function askFor(spec: Spec, plan: VideoPlan, isSketch: boolean) {
  return { schema: isSketch ? writeSketch(spec) : writeJsonSchema(spec), isSketch, truth: findTruth(spec, plan) };
}

/** Returns the cases of some seeds, and the names of those that need a speech program that is missing. */
export async function chooseCases(seeds: readonly number[]): Promise<{ cases: Case[]; skipped: string[] }> {
  const made = seeds.map((seed) => {
    const one = makeCase(seed);
    return { ...one, video: () => renderVideo(one.plan) };
  });
  const isSpoken = ({ plan }: (typeof made)[number]) =>
    plan.events.some(({ shows }) => shows.some(({ kind }) => kind === "speech"));
  const spoken = made.filter(isSpoken);
  if (spoken.length === 0 || (await canSpeak())) return { cases: made, skipped: [] };
  return { cases: made.filter((each) => !isSpoken(each)), skipped: spoken.map(({ id }) => id) };
}

function findTruth({ values, moments, lists }: Spec, plan: VideoPlan): Truth {
  const eventsOf = (label: string) => plan.events.filter((event) => event.label === label);
  const truth: Truth = { values: [], times: [], lists: [], absent: [] };
  for (const key of Object.keys(values).map(plainKey)) {
    const value = plan.facts[key];
    if (value === undefined) truth.absent.push(`/${key}`);
    else truth.values.push({ pointer: `/${key}`, value });
  }
  for (const [key, text] of Object.entries(moments)) {
    const { label, isFirst, isStart } = readMoment(text);
    const event = eventsOf(label).at(isFirst ? 0 : -1);
    const pointer = `/${key}`;
    if (!event) truth.absent.push(pointer);
    else truth.times.push({ pointer, ms: isStart ? event.startMs : event.endMs, span: spanOf(event) });
  }
  for (const [key, { label, times, fields }] of Object.entries(lists)) {
    const [startKey = "", endKey = null] = times.split(" ");
    const names = Object.keys(fields).map(plainKey);
    const items = eventsOf(label).map((event) => ({
      span: spanOf(event),
      times: { [startKey]: event.startMs, ...(endKey === null ? {} : { [endKey]: event.endMs }) },
      values: Object.fromEntries(Object.entries(event.attributes).filter(([name]) => names.includes(name))),
      absent: names.filter((name) => event.attributes[name] === undefined),
    }));
    if (items.length === 0) truth.absent.push(`/${key}`);
    else truth.lists.push({ pointer: `/${key}`, startKey, endKey, items });
  }
  return truth;
}

function spanOf({ startMs, endMs }: VideoEvent): Span {
  return { startMs, endMs };
}
