import { rmSync } from "node:fs";
import { join } from "node:path";
import { dockerAnswers, removeVolume, substituteFor } from "@video-to-json/testing";

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
