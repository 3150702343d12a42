/**
 * The part of a video that a request is about, in whole seconds from the start of the video. `endSeconds` is null for the
 * end of the video (docs/decisions/0001, "Clip and detail").
 */
export type Clip = { startSeconds: number; endSeconds: number | null };

/** A part of a video, in milliseconds from the start of the whole video. */
export type VideoPart = { fromMs: number; toMs: number };

/** How closely the provider looks at a video. It does not change the price (docs/decisions/0001, "Clip and detail"). */
export const details = ["low", "standard", "high"] as const;

export type Detail = (typeof details)[number];
