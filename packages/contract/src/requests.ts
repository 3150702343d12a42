/** What an Idempotency-Key looks like: 1 to 255 printable ASCII characters (docs/decisions/0001, "Idempotency"). */
export const idempotencyKeyPattern = /^[ -~]{1,255}$/;

/** Whether the times of an answer are looked at twice (docs/decisions/0001, "Second look"). */
export const secondLooks = ["off", "auto", "times"] as const;

export type SecondLook = (typeof secondLooks)[number];

/** The request header that asks for it, and the member of an MCP call's `_meta`. Without them the setting decides. */
export const secondLookHeader = "Second-Look";
export const secondLookMeta = "video-to-json/second-look";

/** Whether the lists of moments in an answer are completed (docs/decisions/0004, "Complete lists"). */
export const completeLists = ["off", "on"] as const;

export type CompleteLists = (typeof completeLists)[number];

/** The request header that asks for it, and the member of an MCP call's `_meta`. Without them the setting decides. */
export const completeListsHeader = "Complete-Lists";
export const completeListsMeta = "video-to-json/complete-lists";

/** How many times of an answer got each verdict in its second look. */
export const secondLookVerdicts = ["confirmed", "moved", "contradicted", "unconfirmed", "not_checked"] as const;

export type SecondLookCounts = Readonly<Record<(typeof secondLookVerdicts)[number], number>>;

/** The response header with these counts, and the member of the `_meta` of an MCP result. */
export const secondLookResultHeader = "Second-Look-Result";
export const secondLookResultMeta = "video-to-json/second-look-result";

/** Returns counts as the header has them: `confirmed=5, moved=1, …`. */
export function secondLookText(counts: SecondLookCounts): string {
  return secondLookVerdicts.map((verdict) => `${verdict}=${counts[verdict]}`).join(", ");
}

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

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether a text is a UUID in the usual form with hyphens, upper or lower case. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
