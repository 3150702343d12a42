import type { Detail } from "@video-to-json/contract";

/** How Gemini looks at a video. If a member is undefined, Gemini decides: one picture a second, in its usual size. */
type Look = { framesPerSecond: number | undefined; mediaResolution: string | undefined };

const looks: Record<Detail, Look> = {
  low: { framesPerSecond: 0.5, mediaResolution: "MEDIA_RESOLUTION_LOW" },
  standard: { framesPerSecond: undefined, mediaResolution: undefined },
  // Ten minutes need 336,000 tokens for pictures, a third of the limit of a question.
  high: { framesPerSecond: 2, mediaResolution: "MEDIA_RESOLUTION_HIGH" },
};

/** Returns how Gemini looks at a video with this detail (docs/decisions/0014). */
export function lookAt(detail: Detail): Look {
  return looks[detail];
}
