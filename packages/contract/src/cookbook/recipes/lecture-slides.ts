import type { Recipe } from "../recipe.ts";

/** The slides of a recorded talk. */
export const lectureSlides: Recipe = {
  id: "lecture-slides",
  title: "The slides of a lecture",
  about: "Every slide of a recorded talk with its text and what the speaker adds, as notes to search in.",
  schema: `{
  "subject": "string — of the whole lecture",
  "slides": [
    {
      "at": "timestamp — when the slide appears for the first time",
      "title": "string? — as written on the slide",
      "points": ["string — a line of the slide, word for word"],
      "formulas": ["string — in LaTeX"],
      "said": "string — what the speaker adds, in one or two sentences"
    }
  ]
}`,
  instructions:
    "A recorded lecture. A slide that builds up line by line is one slide. Copy the text of slides word for word; do not translate it. Leave out pictures of the speaker without a slide.",
  answer: `{
  "subject": "Introduction to graph theory",
  "slides": [
    {
      "at": "00:14",
      "title": "What is a graph?",
      "points": ["A set of vertices", "A set of edges between them"],
      "formulas": ["G = (V, E)"],
      "said": "The speaker compares a graph with a map of railway lines."
    },
    {
      "at": "02:40",
      "points": ["Bridges of Königsberg"],
      "formulas": [],
      "said": "The question is whether a walk can cross each bridge once."
    }
  ]
}`,
  pitfalls: [
    "A slide that builds up comes back several times. The instructions prevent that.",
    "Small print of a bad recording cannot be read and is guessed. Send the best resolution that you have.",
    "An empty list is a valid answer for `formulas`, so the key needs no `?`.",
  ],
};
