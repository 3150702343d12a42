/** The ranges of the usage page, each with its number of days. */
export const ranges = [7, 30, 90] as const;

/** How the chart splits a day. */
export type Split = "outcome" | "key";
export type UsageSearch = { readonly days?: (typeof ranges)[number] | undefined; readonly by?: Split | undefined };

/** Returns the range and the split that an address names. Unknown values are left out. */
export function readRange({ days, by }: Record<string, unknown>): UsageSearch {
  const range = ranges.find((offered) => offered === Number(days));
  return { ...(range && { days: range }), ...(by === "key" && { by }) };
}

/** Returns the first and the last day of a range that ends today (UTC), `YYYY-MM-DD`. */
export function daysOfRange(days: number, now: number): { from: string; to: string } {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: day(now - (days - 1) * 86_400_000), to: day(now) };
}
