import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../repository-root.ts";
import type { Environment } from "./start-process.ts";

/** Path of an app's main file: "cli" → …/apps/cli/src/main.ts. */
export function mainOf(app: string): string {
  return join(repositoryRoot, "apps", app, "src", "main.ts");
}

/** Runs `video-to-json <args>` to its end and gives what it wrote to stdout. Throws with its stderr when it fails. */
export async function runCli(args: readonly string[], env: Environment): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [mainOf("cli"), ...args], {
      env: { PATH: process.env.PATH, ...env },
      // A start is a second of computing: with much else to do, a machine takes a minute for it.
      timeout: 180_000,
    });
    return stdout;
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
    throw new Error(`\`video-to-json ${args.join(" ")}\` failed: ${said || "it said nothing."}`, { cause });
  }
}
