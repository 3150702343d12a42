import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { bundleFiles, contentOf } from "../bundle/bundle-files.ts";
import { migrations, view, writeBundle } from "../bundle/write-bundle.ts";
import { repositoryRoot } from "../repository-root.ts";

const maxAgeMs = 24 * 60 * 60 * 1000;

/**
 * Bundles the apps, so that a test starts a process in a quarter of the CPU time. A bundle with the same content is
 * reused: its directory is named by its hash, which also keeps Node's compile cache valid.
 * Returns the directory; `mainOf` finds an app in it.
 */
export async function bundleApps(): Promise<string> {
  const output = await bundleFiles(["api", "worker", "cli", "admin", "emulator"]);
  const hash = createHash("sha256");
  for (const file of output) hash.update(file.fileName).update(contentOf(file));
  for (const name of readdirSync(migrations).filter((name) => name.endsWith(".sql"))) {
    hash.update(name).update(readFileSync(join(migrations, name)));
  }
  hash.update(readFileSync(view));
  const parent = join(repositoryRoot, ".local", "bundles");
  const directory = join(parent, hash.digest("hex").slice(0, 16));
  mkdirSync(parent, { recursive: true });
  removeOld(parent, directory);
  if (existsSync(directory)) return directory;
  const temporary = mkdtempSync(join(parent, "new-"));
  await writeBundle(output, temporary);
  symlinkSync(join(repositoryRoot, "apps/dashboard/dist"), join(temporary, "dashboard"));
  try {
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another run has written the same bundle.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

// Another run may still start processes from a recent one.
function removeOld(parent: string, current: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (path !== current && age > maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
