import type { DataOf } from "video-to-json";

/** The schema: an example of the answer with type words as values. */
export const scenes = {
  main_color: "red|green|blue|other — of the longest scene",
  cuts: [{ at: "timestamp — the first picture of the new scene" }],
  has_sound: "boolean",
  "title?": "string — written in the picture",
} as const;

/** The type of the answer, inferred from the schema: `main_color` is one of four words, `title` is optional. */
export type Scenes = DataOf<typeof scenes>;

/** Returns the answer as a sentence. */
export function describeScenes({ main_color, cuts, has_sound, title }: Scenes): string {
  const times = cuts.map(({ at }) => at).join(", ") || "never";
  return `${title ?? "A video"}: mostly ${main_color}, ${has_sound ? "with" : "without"} sound; cut at ${times}.`;
}
