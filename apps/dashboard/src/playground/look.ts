import type { Detail } from "@video-to-json/contract";
import { timestampSeconds } from "@video-to-json/contract/timestamp";

/** The clip of a run, as `MM:SS` or empty, and its detail. */
export type Look = { readonly start: string; readonly end: string; readonly detail: Detail };

export const wholeVideo: Look = { start: "", end: "", detail: "standard" };

/** Returns the clip as a request has it, or undefined for the whole video. */
export function clipOf({ start, end }: Look): { start?: string | undefined; end?: string | undefined } | undefined {
  const clip = { start: start.trim() || undefined, end: end.trim() || undefined };
  return clip.start === undefined && clip.end === undefined ? undefined : clip;
}

/** Returns how many seconds of a video a run is about; undefined if that is unknown. */
export function seenSeconds(look: Look, duration: number | undefined): number | undefined {
  const end = look.end.trim() === "" ? duration : timestampSeconds(look.end.trim());
  const start = look.start.trim() === "" ? 0 : timestampSeconds(look.start.trim());
  if (start === undefined || end === undefined) return undefined;
  return Math.max(0, Math.min(end, duration ?? end) - start);
}

/** Returns what is wrong with a clip, or undefined if it is valid. */
export function clipFault({ start, end }: Look, duration: number | undefined): string | undefined {
  const given = [start, end].map((text) => text.trim()).filter((text) => text !== "");
  if (given.some((text) => timestampSeconds(text) === undefined)) return "Write times as MM:SS, such as 01:05.";
  const [from, to] = [timestampSeconds(start.trim()) ?? 0, timestampSeconds(end.trim())];
  if (to !== undefined && to <= from) return "The clip ends before it begins.";
  if (duration !== undefined && (from >= duration || (to ?? 0) >= duration + 1)) return "The clip is not in the video.";
  return undefined;
}
