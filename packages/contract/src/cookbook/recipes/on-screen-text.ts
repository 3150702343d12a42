import type { Recipe } from "../recipe.ts";

/** Everything that can be read in the picture. */
export const onScreenText: Recipe = {
  id: "on-screen-text",
  title: "On-screen text",
  about: "Everything that can be read in the picture, with its place and its time. For search, translation and checks.",
  schema: `{
  "texts": [
    {
      "start": "timestamp — when it appears",
      "end": "timestamp — when it has gone",
      "text": "string — word for word, in its own spelling",
      "position": "top|middle|bottom|full_screen",
      "role": "title|caption|sign|interface|watermark|other",
      "language": "string? — as ISO 639-1"
    }
  ]
}`,
  instructions:
    "List each text once, with the time from its first to its last picture. Lines that belong together are one text. Leave out the logo of the channel and the clock.",
  answer: `{
  "texts": [
    {
      "start": "00:02",
      "end": "00:06",
      "text": "Harbour Stories, part 3",
      "position": "full_screen",
      "role": "title",
      "language": "en"
    },
    {
      "start": "00:31",
      "end": "00:35",
      "text": "Ana Duarte, harbour master",
      "position": "bottom",
      "role": "caption",
      "language": "en"
    }
  ]
}`,
  pitfalls: [
    "A channel's logo fills the list. Leave it out in the instructions.",
    "A text that moves can come back many times. “List each text once” prevents that.",
    "Subtitles of a long video make a long answer. Ask for `title` and `sign` only, or send shorter parts.",
  ],
};
