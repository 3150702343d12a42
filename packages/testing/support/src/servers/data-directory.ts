import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, mkdirSync } from "node:fs";
import type { User } from "./unprivileged-user.ts";

/**
 * Creates a directory that `user` can use. Returns its path: `wanted`, or `substituteFor(wanted)` when the user cannot
 * enter a parent of it, such as the home of root.
 */
export function dataDirectory(wanted: string, user: User | undefined): string {
  mkdirSync(wanted, { recursive: true, mode: 0o700 });
  if (!user) return wanted;
  chownSync(wanted, user.uid, user.gid);
  if (canEnter(wanted, user)) return wanted;
  const instead = substituteFor(wanted);
  mkdirSync(instead, { recursive: true, mode: 0o700 });
  chownSync(instead, user.uid, user.gid);
  return instead;
}

/** Returns the directory under /var/tmp that replaces one that the user of a server cannot enter. */
export function substituteFor(wanted: string): string {
  return `/var/tmp/video-to-json-${createHash("sha256").update(wanted).digest("hex").slice(0, 12)}`;
}

function canEnter(directory: string, user: User): boolean {
  return spawnSync("sh", ["-c", 'cd "$1"', "sh", directory], { ...user, stdio: "ignore", cwd: "/" }).status === 0;
}
