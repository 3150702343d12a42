import { createApiKey, Problem } from "@video-to-json/contract";
import type { Db } from "../connection/open-database.ts";
import { insertKey, type KeyLimits } from "./insert-key.ts";

type NewKey = KeyLimits & {
  accountId: string;
  /** The name of the key; 1 to 100 characters. */
  name: string;
  /** The text before `_live_`. */
  keyPrefix: string;
};

/** A key that was created. `key` is shown once and stored nowhere. */
export type CreatedKey = { id: string; key: string; display: string; createdAt: Date };

const maxNameLength = 100;
const maxMonthlyMinutes = 1_000_000;

/**
 * Creates an API key of an account (specification, "Authentication"; docs/decisions/0001, "Dashboard and accounts").
 *
 * @throws Problem `invalid_request` if the name is empty or too long, if the limit is not a whole number of minutes
 *   from 1 to 1,000,000, or if the end is not in the future.
 * @example
 * const { key } = await createKey(db, { accountId, name: "CI", keyPrefix: "v2j", scope: "read" });
 */
export async function createKey(db: Db, { keyPrefix, ...given }: NewKey): Promise<CreatedKey> {
  const name = given.name.trim();
  const { monthlyMinutes = null, endsAt = null } = given;
  if (name === "" || name.length > maxNameLength || /\p{C}/u.test(name)) {
    throw new Problem("invalid_request", {
      reason: `The name of a key has 1 to ${maxNameLength} characters that can be printed. Give another one.`,
    });
  }
  if (monthlyMinutes !== null && !isWithin(monthlyMinutes, maxMonthlyMinutes)) {
    throw new Problem("invalid_request", {
      reason: `A monthly limit is a whole number of minutes from 1 to ${maxMonthlyMinutes}. Give another one.`,
    });
  }
  if (endsAt !== null && !(endsAt.getTime() > Date.now())) {
    throw new Problem("invalid_request", { reason: "The end of a key is a time in the future. Give another one." });
  }
  const { key, sha256, display } = createApiKey(keyPrefix);
  const stored = await insertKey(db, { ...given, name, monthlyMinutes, endsAt, sha256, display });
  return { ...stored, key, display };
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}
