import type { Recipe } from "../recipe.ts";

/** The scenes of a match that people want to see again. */
export const highlights: Recipe = {
  id: "highlights",
  title: "Highlights of a match",
  about: "The scenes that people want to see again, each with its start and end, ready for cutting.",
  schema: `{
  "teams?": {"home": "string", "away": "string"},
  "highlights": [
    {
      "start": "timestamp — when the attack or the action begins",
      "end": "timestamp — when the scene is over",
      "event": "goal|save|chance|foul|card|other",
      "team": "home|away|unclear",
      "player?": "string — name or number on the shirt",
      "description": "string — one sentence"
    }
  ],
  "final_score?": "string — as the scoreboard shows it"
}`,
  instructions:
    "A football match. The home team wears red, the away team wears white. List at most ten highlights in the order of the video. A replay is not a highlight of its own.",
  answer: `{
  "teams": {"home": "Rovers", "away": "United"},
  "highlights": [
    {
      "start": "00:33",
      "end": "00:52",
      "event": "goal",
      "team": "home",
      "player": "Okafor",
      "description": "Okafor heads a corner into the far side of the net."
    },
    {
      "start": "03:01",
      "end": "03:12",
      "event": "save",
      "team": "away",
      "description": "The keeper turns a low shot around the post."
    }
  ],
  "final_score": "1:0"
}`,
  pitfalls: [
    "Replays come back as second goals. Say in the instructions that they do not count.",
    'The minute on the scoreboard is not a time of the video. Ask for it in a field of its own: `"minute?": "integer — on the scoreboard"`.',
    "A required `player` gets a guess where no shirt can be read. Keep it optional.",
    "A match is longer than the service takes at once. Send parts, and add the start of each part to its times.",
  ],
};
