import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BundledApp, entryFiles } from "../bundle/bundle-files.ts";
import { repositoryRoot } from "../repository-root.ts";
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
