import { containerVideos } from "./container-videos.ts";
import type { EncodedVideo } from "./encoding.ts";
import { streamVideos } from "./stream-videos.ts";
import { timingVideos } from "./timing-videos.ts";

/** In the order in which they can be made. */
export const encodedVideos: readonly EncodedVideo[] = [...containerVideos, ...timingVideos, ...streamVideos];
