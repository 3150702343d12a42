import { createHash, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Evidence } from "./evidence.ts";
import type { FirstFrame } from "./first-frame.ts";

/** The stored evidence of one video. `clockMs`: of a clip, what its clock shows first, or null. */
export type StoredEvidence = { firstFrame: FirstFrame; evidence: Evidence; clockMs?: number | null };

/** Keeps the evidence of videos in a directory that several emulators share, one JSON file for each video. */
export type EvidenceStore = {
  read(sha256: string): StoredEvidence | undefined;
  write(sha256: string, stored: StoredEvidence): void;
};

/** Creates a store in an existing directory. A reader sees a complete file or no file. */
export function createEvidenceStore(directory: string): EvidenceStore {
  const fileOf = (sha256: string) => join(directory, `${createHash("sha256").update(sha256).digest("hex")}.json`);
  return {
    read(sha256) {
      try {
        return JSON.parse(readFileSync(fileOf(sha256), "utf8")) as StoredEvidence;
      } catch {
        return undefined;
      }
    },
    write(sha256, stored) {
      const temporary = join(directory, `${randomUUID()}.new`);
      writeFileSync(temporary, JSON.stringify(stored));
      renameSync(temporary, fileOf(sha256));
    },
  };
}
