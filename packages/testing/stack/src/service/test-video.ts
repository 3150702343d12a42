import { makeVideo, type VideoTruth } from "@video-to-json/testing";

/** A video that was made, and its facts. */
export type TestVideo = { path: string; truth: VideoTruth };

const scenes = [
  { seconds: 2, color: "red", sound: "tone" },
  { seconds: 2, color: "red" },
  { seconds: 1, color: "blue" },
] as const;

/** Makes the short video that tests send. */
export async function makeTestVideo(path: string): Promise<TestVideo> {
  return { path, truth: await makeVideo({ scenes }, path) };
}
