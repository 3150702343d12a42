import type { Recipe } from "../recipe.ts";

/** The parts of a video, for a player or a description. */
export const chapters: Recipe = {
  id: "chapters",
  title: "Chapters",
  about: "The parts of a video without gaps, for a table of contents below a player.",
  schema: `{
  "title": "string — at most eight words",
  "chapters": [
    {
      "start": "timestamp",
      "end": "timestamp — the start of the next chapter, or the end of the video",
      "title": "string — at most six words",
      "summary": "string — one sentence"
    }
  ]
}`,
  instructions:
    "Three to eight chapters. The first begins at 00:00. A new chapter begins where the subject changes, not where the camera does. Write titles in the language of the video.",
  answer: `{
  "title": "Sourdough for beginners",
  "chapters": [
    {
      "start": "00:00",
      "end": "01:12",
      "title": "Feeding the starter",
      "summary": "The baker mixes flour and water into the starter and marks its height."
    },
    {
      "start": "01:12",
      "end": "04:07",
      "title": "Shaping the loaf",
      "summary": "The dough is folded four times and rests in a basket."
    }
  ]
}`,
  pitfalls: [
    "Without a number, an answer can have forty chapters. Name how many you want in the instructions.",
    "Without the words about the camera, every cut can become a chapter.",
    "Times are whole seconds. Do not expect a chapter to begin at an exact picture.",
  ],
};
