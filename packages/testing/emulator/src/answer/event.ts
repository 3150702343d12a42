import { colorShares } from "../evidence/color-names.ts";
import type { Appearance, Evidence, Span } from "../evidence/evidence.ts";
import { hasAny } from "./words.ts";

/** The kinds of events that the evidence contains. */
export type EventKind = "cut" | "scene" | "black" | "frozen" | "loud" | "silent" | "text" | "color";

/** An event with its time and appearance. The whole video has the kind `video`. */
export type Subject = Span & Appearance & { kind: EventKind | "video" };

/** Returns the whole video as a subject. */
export function wholeVideo({ durationMs, appearance }: Evidence): Subject {
  return { kind: "video", startMs: 0, endMs: durationMs, ...appearance };
}

/** Returns all events of one kind, in order of time. */
export function eventsOf(evidence: Evidence, kind: EventKind): Subject[] {
  switch (kind) {
    case "cut":
      // A cut has the appearance of the scene that it starts.
      return evidence.scenes.slice(1).map((scene) => ({ ...scene, kind }));
    case "scene":
      return evidence.scenes.map((scene) => ({ ...scene, kind }));
    case "text":
      return evidence.texts.map((text) => ({ ...text, kind }));
    case "color":
      return colorEvents(evidence);
    default:
      return evidence[kind].map((span) => ({ ...appearanceAt(evidence, span), ...span, kind }));
  }
}

/** Returns the kind that words name. In `black_scenes`, the specific word `black` wins over `scenes`. */
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

/** Returns the appearance of the scene in which a span starts. */
function appearanceAt({ scenes, appearance }: Evidence, { startMs }: Span): Appearance {
  return scenes.find((scene) => scene.startMs <= startMs && startMs < scene.endMs) ?? appearance;
}

/** Returns the main colours of the scenes, each once, at its first scene. */
function colorEvents({ scenes }: Evidence): Subject[] {
  const seen = new Set<string | undefined>();
  return scenes.flatMap((scene): Subject[] => {
    const name = colorShares(scene.palette)[0]?.name;
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    return [{ ...scene, kind: "color" }];
  });
}
