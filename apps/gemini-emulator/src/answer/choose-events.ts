import { isColorName } from "../evidence/color-names.ts";
import { type EventKind, eventsOf, kindIn, type Subject } from "./event.ts";
import { colorNamed, itemProperties, mainColor, overlap, type Place, told } from "./place.ts";
import { resolve, type Schema } from "./schema.ts";
import { hasAny, wordsOf } from "./words.ts";

const anything = [
  "events",
  "event",
  "moments",
  "moment",
  "timeline",
  "highlights",
  "happenings",
  "observations",
  "log",
];
const happenings: readonly EventKind[] = ["cut", "black", "frozen", "silent", "loud", "text"];

/** What a list is to hold, in order of time; undefined when nothing is known of what it asks for. */
export function chooseEvents(place: Place, list: Schema, item: Schema, root: Schema): Subject[] | undefined {
  if (place.evidence.durationMs === 0) return undefined;
  const kinds = kindsOf(place, list, item, root);
  if (!kinds) return undefined;
  const events = kinds.flatMap((kind) => eventsOf(place.evidence, kind));
  const inside = place.subject.kind === "video" ? events : events.filter((event) => overlap(event, place.subject) > 0);
  const color = kinds.includes("black") ? undefined : colorNamed(place.name);
  const ofColor = color === undefined ? inside : inside.filter((event) => mainColor(event) === color);
  return ofColor.sort((a, b) => a.startMs - b.startMs);
}

function kindsOf(place: Place, list: Schema, item: Schema, root: Schema): readonly EventKind[] | undefined {
  const named = kindIn(place.name);
  if (named) return [named];
  if (colorNamed(place.name)) return ["scene"];
  const offered = offeredKinds(item, root);
  if (offered.length > 0) return offered;
  const said = kindIn(told(list)) ?? kindIn(told(item));
  if (said) return [said];
  if (Array.isArray(item.enum) && item.enum.every((option) => typeof option === "string" && isColorName(option)))
    return ["color"];
  if (hasAny(place.name, ...anything)) return happenings;
  const byProperty = itemProperties(item).map(([name]) => kindIn(wordsOf(name)));
  const around = byProperty.find((kind) => kind !== undefined && kind !== "color" && kind !== "text");
  if (around) return [around];
  return hasAny(place.name, "times", "timestamps") ? kindOfAround(place) : undefined;
}

function kindOfAround(place: Place): readonly EventKind[] | undefined {
  const kind = kindIn(place.around);
  return kind ? [kind] : undefined;
}

/** The kinds that an item's own choice offers: `{"type": "cut|black|silence", "at": …}`. */
function offeredKinds(item: Schema, root: Schema): EventKind[] {
  for (const [, node] of itemProperties(item)) {
    const { enum: options } = resolve(node, root);
    if (!Array.isArray(options) || options.every((option) => isColorName(String(option)))) continue;
    const kinds = options.flatMap((option) => (typeof option === "string" ? (kindIn(wordsOf(option)) ?? []) : []));
    if (kinds.length >= 2) return [...new Set(kinds)];
  }
  return [];
}
