import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type BundledApp,
  bundleFiles,
  contentOf,
  entryFiles,
  migrations,
  writeBundle,
} from "../bundle/bundle-files.ts";
import { removeOld } from "../test-cache.ts";
import { repositoryRoot } from "../test-environment.ts";
import type { Environment } from "./start-process.ts";

/** The environment variable that names the directory of the bundles (`bundleApps`). Tests set it for a whole run. */
export const bundlesVariable = "VIDEO_TO_JSON_BUNDLES";

/** Returns the path of the file that starts an app, such as "worker": its bundle in a test run, else its source. */
export function mainOf(app: BundledApp): string {
  const bundles = process.env[bundlesVariable];
  return bundles ? join(bundles, "dist", `main-${app}.js`) : join(repositoryRoot, entryFiles[app]);
}

/** The environment that lets a process of Node reuse code that an earlier one compiled; empty outside of a test run. */
export function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};
}

/** Runs `video-to-json-admin <args>` to its end. Returns its stdout. Throws with its stderr when it fails. */
export async function runAdmin(args: readonly string[], env: Environment): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [mainOf("admin"), ...args], {
      env: { PATH: process.env.PATH, ...compileCache(), ...env },
      // A start from source takes a second of CPU time: on a busy machine that can be a minute.
      timeout: 180_000,
    });
    return stdout;
  } catch (cause) {
    const stderr = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
    throw new Error(`\`video-to-json-admin ${args.join(" ")}\` failed: ${stderr || "it printed no error."}`, { cause });
  }
}

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
  const parent = join(repositoryRoot, ".local", "bundles");
  const directory = join(parent, hash.digest("hex").slice(0, 16));
  mkdirSync(parent, { recursive: true });
  // Another run may still start processes from a recent one.
  removeOld(parent, maxAgeMs, directory);
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
