import type { EncodedVideo } from "./encoding.ts";
import { ffmpegEach, ffmpegHas, inputsOf } from "./ffmpeg.ts";

/**
 * Makes videos in an existing folder, in an order in which each comes after its inputs. Those with the same inputs take
 * one start of ffmpeg, which costs more than to encode most of them. Returns those that the installed ffmpeg can
 * encode.
 */
export async function makeEncodedVideos(videos: readonly EncodedVideo[], folder: string): Promise<EncodedVideo[]> {
  const made: EncodedVideo[] = [];
  for (const video of videos) if (!video.encoder || (await ffmpegHas("encoder", video.encoder))) made.push(video);
  const byInputs = Map.groupBy(made, ({ args }) => JSON.stringify(inputsOf(args)));
  for (const group of byInputs.values())
    await ffmpegEach(
      group.map(({ args, file }) => [...args, file]),
      folder,
    );
  return made;
}
