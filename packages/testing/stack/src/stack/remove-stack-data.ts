import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dockerAnswers, removeOnExit, removeVolume, substituteFor } from "@video-to-json/testing";

/** Removes all data of the stack with this `dataDir`. The stack must be down. */
export async function removeStackData(dataDir: string): Promise<void> {
  for (const directory of stackDirectories(dataDir)) rmSync(directory, { recursive: true, force: true });
  if (await dockerAnswers()) {
    await Promise.all(["postgres", "redis"].map((name) => removeVolume(join(dataDir, name))));
  }
}

/** Returns each directory that a stack with this `dataDir` may have created. */
export function stackDirectories(dataDir: string): string[] {
  return [dataDir, substituteFor(join(dataDir, "postgres"))];
}

/**
 * Makes a directory for the data of a stack below `parent`. Its disposal removes it, and so does the end of this process,
 * even by SIGKILL.
 */
export function makeStackDirectory(parent: string, prefix: string): AsyncDisposable & { path: string } {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, prefix));
  const isRemoved = removeOnExit(stackDirectories(path));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await removeStackData(path);
      isRemoved();
    },
  };
}
