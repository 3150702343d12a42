import type { Request, Sending } from "../send-video.ts";

/** A video whose request has started, and its outcome. */
export type StartedVideo = { request: Request; sending: Sending; outcome: "answered" | "failed" | "open" };
