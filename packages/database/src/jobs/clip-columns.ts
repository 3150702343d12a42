import type { Clip } from "@video-to-json/contract";

/** The columns of a job that hold its clip. */
export type ClipColumns = { clipStartSeconds: number | null; clipEndSeconds: number | null };

/** Returns the clip of a job, or null if the job is about its whole video. */
export function clipOf({ clipStartSeconds, clipEndSeconds }: ClipColumns): Clip | null {
  if (clipStartSeconds === null && clipEndSeconds === null) return null;
  return { startSeconds: clipStartSeconds ?? 0, endSeconds: clipEndSeconds };
}
