import { Problem } from "@video-to-json/contract";

const maxLimit = 100;
const defaultLimit = 50;

/** Returns how many entries a page may have, from the parameter `limit` of a query. Throws invalid_request. */
export function pageLimit(limit: unknown): number {
  if (limit === undefined) return defaultLimit;
  const count = typeof limit === "string" && /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > maxLimit) throw wrongParameter("limit", `a whole number from 1 to ${maxLimit}`);
  return count;
}

/** Returns the problem for an invalid parameter of a query. */
export function wrongParameter(name: string, expected: string): Problem {
  return new Problem("invalid_request", { reason: `\`${name}\` is wrong. Send ${expected}, once.` });
}

/** What the message for an invalid cursor asks for. */
export const aCursor = "`next_cursor` of an earlier response, unchanged";
