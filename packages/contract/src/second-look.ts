/** Whether the times of an answer are looked at twice (docs/decisions/0001, "Second look"). */
export const secondLooks = ["off", "times"] as const;

export type SecondLook = (typeof secondLooks)[number];

/** The request header that asks for it, and the member of an MCP call's `_meta`. Without them the setting decides. */
export const secondLookHeader = "Second-Look";
export const secondLookMeta = "video-to-json/second-look";
