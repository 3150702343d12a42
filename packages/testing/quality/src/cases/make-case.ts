import { canSpeak } from "../render/soundtrack.ts";
import type { Case, Span, Truth, VideoEvent, VideoPlan } from "./case.ts";
import { createDraw } from "./seeds.ts";
import { type ListSpec, type Spec, writeJsonSchema, writeSketch } from "./spec.ts";
import type { Style } from "./style.ts";
import { styles } from "./styles.ts";

/** Returns the case of a seed. The same seed always gives the same case. Seeds that follow each other have all styles. */
export function makeCase(seed: number): Case {
  const draw = createDraw(seed);
  const style = styles[seed % styles.length] as Style;
  const isSketch = draw.chance(0.5);
  const { plan, spec } = style.make(draw);
  return {
    id: `${seed}-${style.name}`,
    seed,
    style: style.name,
    needsSpeech: style.needsSpeech ?? false,
    plan,
    schema: isSketch ? writeSketch(spec) : writeJsonSchema(spec),
    isSketch,
    truth: findTruth(spec, plan),
  };
}

/**
 * Returns the cases of some seeds, and the names of the cases that this machine cannot render because it has no speech
 * program.
 */
export async function chooseCases(seeds: readonly number[]): Promise<{ cases: Case[]; skipped: string[] }> {
  const made = seeds.map(makeCase);
  if (!made.some(({ needsSpeech }) => needsSpeech) || (await canSpeak())) return { cases: made, skipped: [] };
  return {
    cases: made.filter(({ needsSpeech }) => !needsSpeech),
    skipped: made.filter(({ needsSpeech }) => needsSpeech).map(({ id }) => id),
  };
}

/** Returns the right answer to a spec about a video. */
export function findTruth({ values, moments, lists }: Spec, plan: VideoPlan): Truth {
  const eventsOf = (label: string) => plan.events.filter((event) => event.label === label);
  const known = values.filter(({ key }) => plan.facts[key] !== undefined);
  const truth: Truth = {
    values: known.map(({ key }) => ({ pointer: `/${key}`, value: plan.facts[key] as string })),
    times: [],
    lists: [],
    absent: values.filter((field) => !known.includes(field)).map(({ key }) => `/${key}`),
  };
  for (const { key, label, nth, edge } of moments) {
    const event = nth === "first" ? eventsOf(label)[0] : eventsOf(label).at(-1);
    const pointer = `/${key}`;
    if (!event) truth.absent.push(pointer);
    else truth.times.push({ pointer, ms: edge === "start" ? event.startMs : event.endMs, span: spanOf(event) });
  }
  for (const list of lists) {
    const events = eventsOf(list.label);
    if (events.length === 0) truth.absent.push(`/${list.key}`);
    else truth.lists.push(trueList(list, events));
  }
  return truth;
}

function spanOf({ startMs, endMs }: VideoEvent): Span {
  return { startMs, endMs };
}

function trueList({ key, startKey, endKey, fields }: ListSpec, events: readonly VideoEvent[]): Truth["lists"][number] {
  return {
    pointer: `/${key}`,
    startKey,
    endKey,
    items: events.map(({ startMs, endMs, attributes }) => ({
      span: { startMs, endMs },
      times: { [startKey]: startMs, ...(endKey === null ? {} : { [endKey]: endMs }) },
      values: Object.fromEntries(
        fields.flatMap((field) => {
          const value = attributes[field.key];
          return value === undefined ? [] : [[field.key, value]];
        }),
      ),
      absent: fields.filter((field) => attributes[field.key] === undefined).map((field) => field.key),
    })),
  };
}
