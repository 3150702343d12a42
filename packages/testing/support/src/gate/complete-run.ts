import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const document = "docs/reliability.md";
const recordForm = /^Last complete run: commit `([0-9a-f]{7,40})`, \d{4}-\d\d-\d\d: .*$/m;
/** After so many commits, a complete run says little about the tree. */
export const maxCommits = 200;

/** Writes commit, date and counts of a complete run into docs/reliability.md. */
export function recordCompleteRun(root: string, counts: string): void {
  const commit = git(root, "rev-parse", "--short=10", "HEAD");
  const record = `Last complete run: commit \`${commit}\`, ${new Date().toISOString().slice(0, 10)}: ${counts}.`;
  const path = join(root, document);
  writeFileSync(path, readFileSync(path, "utf8").replace(recordForm, record));
}

/**
 * Returns how many commits are newer than the recorded complete run, or undefined in a tree without its whole history.
 * Throws if docs/reliability.md has no record, or names a commit that this history does not have.
 */
export function commitsSinceCompleteRun(root: string): number | undefined {
  if (!existsSync(join(root, ".git")) || existsSync(join(root, ".git", "shallow"))) return undefined;
  const commit = recordForm.exec(readFileSync(join(root, document), "utf8"))?.[1];
  if (commit === undefined) throw new Error(`${document} has no line "Last complete run: …".`);
  return Number(git(root, "rev-list", "--count", `${commit}..HEAD`));
}

function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}
