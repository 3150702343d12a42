/** A client of one account. */
export type VideoToJson = Record<string, never>;
