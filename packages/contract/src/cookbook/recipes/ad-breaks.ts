import type { Recipe } from "../recipe.ts";

/** Advertising in a programme or a video. */
export const adBreaks: Recipe = {
  id: "ad-breaks",
  title: "Ad breaks",
  about: "Where advertising begins and ends, and for whom. For archives, for measuring, for cutting.",
  schema: `{
  "breaks": [
    {
      "start": "timestamp — the first picture of the advertising",
      "end": "timestamp — the first picture of the programme after it",
      "kind": "break|sponsored_part|overlay|own_promotion",
      "advertisers": ["string"]
    }
  ],
  "has_paid_promotion_label": "boolean"
}`,
  instructions:
    "A recording of a television programme. A trailer for another programme of the same channel is own_promotion. Several spots after each other are one break. Logos on clothes and on walls are not advertising.",
  answer: `{
  "breaks": [
    {"start": "02:41", "end": "04:11", "kind": "break", "advertisers": ["Caffia", "Nordbank"]},
    {"start": "07:02", "end": "07:12", "kind": "overlay", "advertisers": ["Nordbank"]}
  ],
  "has_paid_promotion_label": false
}`,
  pitfalls: [
    "One break comes back as many when each spot counts. Say what a break is.",
    "Times are exact to about a second. To cut at the exact picture, look for the nearest cut around each time.",
    "A presenter who praises a product without a label is hard to tell from content. Treat `sponsored_part` as a hint.",
  ],
};
