import type { Recipe } from "../recipe.ts";

/** Where products appear in a video. */
export const productMentions: Recipe = {
  id: "product-mentions",
  title: "Product mentions",
  about: "Every product that somebody names or shows, with the opinion about it. For sponsors and market research.",
  schema: `{
  "mentions": [
    {
      "at": "timestamp",
      "product": "string — as it is said or written",
      "brand": "string?",
      "how": "spoken|shown|written",
      "opinion": "positive|neutral|negative",
      "quote": "string? — the words that are said, word for word"
    }
  ]
}`,
  instructions:
    "A review of kitchen machines. Count each mention, also several of one product. A product that is only in the background counts if its name or logo can be read. Opinion means the opinion of the person who speaks.",
  answer: `{
  "mentions": [
    {
      "at": "00:21",
      "product": "Aroma 300",
      "brand": "Caffia",
      "how": "spoken",
      "opinion": "positive",
      "quote": "The Aroma 300 is the quietest I have tried."
    },
    {"at": "01:05", "product": "Aroma 300", "brand": "Caffia", "how": "shown", "opinion": "neutral"}
  ]
}`,
  pitfalls: [
    "Say whether repeated mentions count. Otherwise one answer lists a product once and the next one ten times.",
    "Spoken names are written as they sound. List the names that you look for in the instructions.",
    "An opinion needs `neutral`, or products that are only visible get an invented one.",
  ],
};
