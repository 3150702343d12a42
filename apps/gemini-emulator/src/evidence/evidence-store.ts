import { createHash, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Evidence } from "./evidence.ts";
import type { FirstLook } from "./first-look.ts";

/** The evidence of one video. */
export type Seen = { first: FirstLook; evidence: Evidence };

/** Keeps the evidence of videos in a directory that several emulators share, one JSON file for each video. */
export type EvidenceStore = {
  read(sha256: string): Seen | undefined;
  write(sha256: string, seen: Seen): void;
};

/** Creates a store in a directory that exists. A reader sees a whole file or none. */
export function createEvidenceStore(directory: string): EvidenceStore {
  const fileOf = (sha256: string) => join(directory, `${createHash("sha256").update(sha256).digest("hex")}.json`);
  return {
    read(sha256) {
      try {
        return JSON.parse(readFileSync(fileOf(sha256), "utf8")) as Seen;
      } catch {
        return undefined;
      }
    },
    write(sha256, seen) {
      const temporary = join(directory, `${randomUUID()}.new`);
      writeFileSync(temporary, JSON.stringify(seen));
      renameSync(temporary, fileOf(sha256));
    },
  };
}
