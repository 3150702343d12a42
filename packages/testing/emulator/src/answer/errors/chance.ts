import { createHash } from "node:crypto";

/** Returns a number from 0 to 1 for a name. The same name always gets the same number. */
export type Chance = (...name: readonly unknown[]) => number;

/** Creates a source of chance whose numbers depend on these values. */
export function createChance(...from: readonly unknown[]): Chance {
  const start = JSON.stringify(from);
  return (...name) => {
    const digest = createHash("sha256").update(start).update(JSON.stringify(name)).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}
