import type { Span, Truth, VideoEvent, VideoPlan } from "./case.ts";
import type { ListSpec, Spec } from "./spec.ts";

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
