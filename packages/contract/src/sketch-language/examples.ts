/** A sketch with an answer that conforms to it. Both are JSON texts. A test compiles each and validates its answer. */
export type SketchExample = { title: string; sketch: string; answer: string };

/** Worked examples for a video of 4 minutes and 7 seconds. */
export const sketchExamples: readonly SketchExample[] = [
  {
    title: "The goals of a match",
    sketch:
      '{"winner": "home|away|draw", "goals": [{"at": "timestamp", "team": "home|away", "scorer?": "string — name on the shirt"}]}',
    answer:
      '{"winner": "draw", "goals": [{"at": "00:41", "team": "home", "scorer": "Okafor"}, {"at": "03:08", "team": "away"}]}',
  },
  {
    title: "Chapters with a start and an end",
    sketch:
      '{"title": "string", "chapters": [{"start": "timestamp", "end": "timestamp", "topic": "string — at most six words"}]}',
    answer:
      '{"title": "Sourdough for beginners", "chapters": [{"start": "00:00", "end": "01:12", "topic": "Feeding the starter"}]}',
  },
  {
    title: "Counts, measures, yes or no",
    sketch: '{"people": 0, "share_outdoors": 0.0, "has_music": true, "language?": "string — as ISO 639-1"}',
    answer: '{"people": 3, "share_outdoors": 0.4, "has_music": false, "language": "pt"}',
  },
  {
    title: "Free text instead of type words",
    sketch: '{"summary": "what happens, in two sentences", "mood": "calm|tense|joyful — of the ending"}',
    answer: '{"summary": "A fox crosses a road. A car waits.", "mood": "calm"}',
  },
  {
    title: "Lists, and spans as pairs",
    sketch: '{"objects": ["string"], "shots": [["timestamp", "timestamp"]]}',
    answer: '{"objects": ["ball", "net"], "shots": [["00:00", "00:04"], ["00:04", "00:19"]]}',
  },
  {
    title: "A key that would make a JSON Schema, one level deeper",
    sketch: '{"event": {"type": "goal|foul|card", "minute": "integer — on the scoreboard"}}',
    answer: '{"event": {"type": "foul", "minute": 71}}',
  },
];

/**
 * A common mistake: something that people write and that means something else. All members but `result` are JSON texts
 * of members of a sketch.
 */
export type SketchMistake = {
  written: string;
  /** Whether the service refuses it. If not, `check-schema` warns about it. */
  isRefused: boolean;
  /** Its meaning, or why it is refused. */
  result: string;
  instead: string;
};

/** Common mistakes. A test checks that each is refused, or has a warning, and that its correction has none. */
export const sketchMistakes: readonly SketchMistake[] = [
  {
    written: '"price": "number|null"',
    isRefused: true,
    result: "only types as options",
    instead: '"price": "number?"',
  },
  { written: '"tags": "string[]"', isRefused: true, result: "no type word", instead: '"tags": ["string"]' },
  { written: '"note": null', isRefused: true, result: "says nothing about the value", instead: '"note": "string?"' },
  { written: '"scenes": "array"', isRefused: false, result: "a text", instead: '"scenes": [{"what": "string"}]' },
  { written: '"score": "integer (0-10)"', isRefused: false, result: "a text", instead: '"score": "integer — 0 to 10"' },
  {
    written: '"count": {"type": "integer"}',
    isRefused: false,
    result: "an object with the key `type`",
    instead: '"count": "integer"',
  },
  { written: '"side": ["home", "away"]', isRefused: false, result: "a list of texts", instead: '"side": "home|away"' },
  { written: '"start": "number"', isRefused: false, result: "a time", instead: '"start_seconds": "number"' },
  {
    written: '"scorer": "Who scored?"',
    isRefused: false,
    result: "an optional field",
    instead: '"scorer": "string — who scored"',
  },
  {
    written: '"type": "string", "name": "string"',
    isRefused: false,
    result: "a JSON Schema for one string",
    instead: '"kind": "string", "name": "string"',
  },
];
