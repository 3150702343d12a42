import { isColorName } from "../evidence/color-names.ts";
import { type EventKind, eventsOf, kindIn, type Subject } from "./event.ts";
import { colorNamed, descriptionWords, itemProperties, mainColor, overlap, type Place } from "./place.ts";
import { resolveSchema, type Schema } from "./schema.ts";
import { hasAny, wordsOf } from "./words.ts";

/** Names of lists that do not name the kind of their items. */
const genericNames = [
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
const genericKinds: readonly EventKind[] = ["cut", "black", "frozen", "silent", "loud", "text"];

/** Returns the events that a list asks for, in order of time, or undefined if its meaning is unknown. */
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
  const described = kindIn(descriptionWords(list)) ?? kindIn(descriptionWords(item));
  if (described) return [described];
  if (Array.isArray(item.enum) && item.enum.every((option) => typeof option === "string" && isColorName(option)))
    return ["color"];
  if (hasAny(place.name, ...genericNames)) return genericKinds;
  const byProperty = itemProperties(item).map(([name]) => kindIn(wordsOf(name)));
  const ofProperty = byProperty.find((kind) => kind !== undefined && kind !== "color" && kind !== "text");
  if (ofProperty) return [ofProperty];
  return hasAny(place.name, "times", "timestamps") ? kindOfParent(place) : undefined;
}

function kindOfParent(place: Place): readonly EventKind[] | undefined {
  const kind = kindIn(place.parentName);
  return kind ? [kind] : undefined;
}

/** Returns the kinds that an enum of the item offers, as in `{"type": "cut|black|silence", "at": …}`. */
function offeredKinds(item: Schema, root: Schema): EventKind[] {
  for (const [, node] of itemProperties(item)) {
    const { enum: options } = resolveSchema(node, root);
    if (!Array.isArray(options) || options.every((option) => isColorName(String(option)))) continue;
    const kinds = options.flatMap((option) => (typeof option === "string" ? (kindIn(wordsOf(option)) ?? []) : []));
    if (kinds.length >= 2) return [...new Set(kinds)];
  }
  return [];
}
