import { inSentences } from "../sentences.ts";
import type { SketchPlace } from "./sketch.ts";

const timestampNote =
  "MM:SS from the start of the video: the moment this first becomes true, or for an end the moment it stops.";
const optionalNote = "Optional: leave the key out when the video does not show it.";

/** What the model is told of one place: the caller's words, then what a timestamp is and that an optional key may be left out. */
export function placeDescription(place: SketchPlace, optional: boolean): string | undefined {
  return inSentences([
    callersDescription(place),
    place.kind === "timestamp" ? timestampNote : undefined,
    optional ? optionalNote : undefined,
  ]);
}

/** What the caller says of one place. */
export function callersDescription(place: SketchPlace): string | undefined {
  return "description" in place ? place.description : undefined;
}
