import { containerVideos } from "./container-videos.ts";
import type { EncodedVideo } from "./encoding.ts";
import { streamVideos } from "./stream-videos.ts";
import { timingVideos } from "./timing-videos.ts";

/** All encoded videos, in an order in which each comes after its inputs. */
export const encodedVideos: readonly EncodedVideo[] = [...containerVideos, ...timingVideos, ...streamVideos];
