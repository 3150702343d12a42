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
