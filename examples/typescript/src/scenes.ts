import type { DataOf } from "video-to-json";

/** What is asked of a video, as an example of the answer with a type word where each value would go. */
export const scenes = {
  main_color: "red|green|blue|other — of the longest scene",
  cuts: [{ at: "timestamp — the first picture of the new scene" }],
  has_sound: "boolean",
  "title?": "string — written in the picture",
} as const;

/** The answer, as its type follows from the above: `main_color` is one of four words, `title` may be missing. */
export type Scenes = DataOf<typeof scenes>;

/** The answer in words. */
export function describeScenes({ main_color, cuts, has_sound, title }: Scenes): string {
  const times = cuts.map(({ at }) => at).join(", ") || "never";
  return `${title ?? "A video"}: mostly ${main_color}, ${has_sound ? "with" : "without"} sound; cut at ${times}.`;
}
