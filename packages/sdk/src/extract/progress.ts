import type { Retrying } from "../http/retry.ts";

/**
 * Where an extraction is. Bytes are those of the video, and count from nothing again after `retrying`; `waiting` comes
 * once everything is sent, and every second from then on.
 */
export type Progress =
  | { stage: "uploading"; sentBytes: number; totalBytes: number }
  | { stage: "waiting"; elapsedMs: number }
  | ({ stage: "retrying" } & Retrying);
