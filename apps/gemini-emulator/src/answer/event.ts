import { colorShares } from "../evidence/color-names.ts";
import type { Evidence, Look, Span } from "../evidence/evidence.ts";
import { hasAny } from "./words.ts";

/** What can happen in a video, as far as can be told. */
export type EventKind = "cut" | "scene" | "black" | "frozen" | "loud" | "silent" | "text" | "color";

/** Something in the video with its time and its look; the video itself is one of kind `video`. */
export type Subject = Span & Look & { kind: EventKind | "video" };

/** The whole video as a subject. */
export function wholeVideo({ durationMs, look }: Evidence): Subject {
  return { kind: "video", startMs: 0, endMs: durationMs, ...look };
}

/** Everything of one kind, in order of time. */
export function eventsOf(evidence: Evidence, kind: EventKind): Subject[] {
  switch (kind) {
    case "cut":
      // A cut is a moment; what it looks like is the scene that it opens.
      return evidence.scenes.slice(1).map((scene) => ({ ...scene, kind }));
    case "scene":
      return evidence.scenes.map((scene) => ({ ...scene, kind }));
    case "text":
      return evidence.texts.map((text) => ({ ...text, kind }));
    case "color":
      return colorEvents(evidence);
    default:
      return evidence[kind].map((span) => ({ ...lookDuring(evidence, span), ...span, kind }));
  }
}

/** The kind that words speak of. What is said of a scene counts for more than that it is one: `black_scenes`. */
export function kindIn(words: readonly string[]): EventKind | undefined {
  if (hasAny(words, "white") && hasAny(words, "black")) return undefined;
  for (const [kind, ...names] of kindNames) if (hasAny(words, ...names)) return kind;
  return undefined;
}

const kindNames: readonly (readonly [EventKind, ...string[]])[] = [
  ["black", "black", "blank", "blackout", "blackouts", "blacks"],
  ["frozen", "frozen", "freeze", "freezes", "freezing", "still", "stills", "static", "stuck", "motionless"],
  ["silent", "silent", "silence", "silences", "quiet", "mute", "muted", "soundless"],
  [
    "loud",
    "loud",
    "loudest",
    "noise",
    "noises",
    "noisy",
    "beep",
    "beeps",
    "tone",
    "tones",
    "sound",
    "sounds",
    "audible",
  ],
  ["text", "text", "texts", "caption", "captions", "title", "titles", "word", "words", "sign", "signs", "lettering"],
  ["text", "label", "labels", "headline", "headlines", "heading", "ocr", "subtitle", "subtitles", "written", "writing"],
  ["cut", "cut", "cuts", "transition", "transitions", "change", "changes", "switch", "switches"],
  ["color", "color", "colour", "colors", "colours", "palette"],
  ["scene", "scene", "scenes", "shot", "shots", "segment", "segments", "section", "sections", "chapter", "chapters"],
  ["scene", "part", "parts", "clip", "clips"],
];

/** How a stretch looks: as the scene does in which it begins. */
function lookDuring({ scenes, look }: Evidence, { startMs }: Span): Look {
  return scenes.find((scene) => scene.startMs <= startMs && startMs < scene.endMs) ?? look;
}

/** The colours that scenes have, each once, when it is first seen. */
function colorEvents({ scenes }: Evidence): Subject[] {
  const seen = new Set<string | undefined>();
  return scenes.flatMap((scene): Subject[] => {
    const name = colorShares(scene.palette)[0]?.name;
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    return [{ ...scene, kind: "color" }];
  });
}
