import type { Detail } from "@video-to-json/contract";

/** How Gemini looks at a video. Where a member is undefined, Gemini decides: one picture a second, in its usual size. */
type Look = { framesPerSecond: number | undefined; mediaResolution: string | undefined };

const looks: Record<Detail, Look> = {
  low: { framesPerSecond: 0.5, mediaResolution: "MEDIA_RESOLUTION_LOW" },
  standard: { framesPerSecond: undefined, mediaResolution: undefined },
  // Ten minutes are 336,000 tokens of pictures, a third of what a question may have.
  high: { framesPerSecond: 2, mediaResolution: "MEDIA_RESOLUTION_HIGH" },
};

/** Returns how Gemini looks at a video of a detail (docs/decisions/0014). */
export function lookAt(detail: Detail): Look {
  return looks[detail];
}
