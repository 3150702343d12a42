/** What an API key may do. `extract` includes reading; with `read` a key changes nothing and costs nothing. */
export const keyScopes = ["extract", "read"] as const;

export type KeyScope = (typeof keyScopes)[number];
