import type { SketchPlace } from "./sketch.ts";

const timestampNote =
  "MM:SS from the start of the video: the moment this first becomes true, or for an end the moment it stops.";
const optionalNote = "Optional: leave the key out when the video does not show it.";

/** Returns the description of a place for the model: the caller's words, the form of timestamps, and optional keys. */
export function placeDescription(place: SketchPlace, optional: boolean): string | undefined {
  return inSentences([
    callersDescription(place),
    place.kind === "timestamp" ? timestampNote : undefined,
    optional ? optionalNote : undefined,
  ]);
}

/** Returns a description without the notes that `placeDescription` adds to the caller's words. */
export function plainDescription(description: string): string {
  return description.replace(optionalNote, "").replace(timestampNote, "").trim();
}

/** Returns the caller's description of a place. */
export function callersDescription(place: SketchPlace): string | undefined {
  return "description" in place ? place.description : undefined;
}

/** Joins texts into sentences: each one but the last gets a full stop if it has none. Returns undefined without texts. */
export function inSentences(parts: readonly (string | undefined)[]): string | undefined {
  const written = parts.map((part) => part?.trim() ?? "").filter((part) => part !== "");
  if (written.length === 0) return undefined;
  return written.map((part, index) => (index === written.length - 1 || isEnded(part) ? part : `${part}.`)).join(" ");
}

function isEnded(part: string): boolean {
  return /[\p{Sentence_Terminal}…:;][\p{Pe}\p{Pf}"']*$/u.test(part);
}
