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

/** Undefined without the whole history. Throws if docs/reliability.md names no commit of this history. */
export function commitsSinceCompleteRun(root: string): number | undefined {
  if (!existsSync(join(root, ".git")) || existsSync(join(root, ".git", "shallow"))) return undefined;
  const commit = recordForm.exec(readFileSync(join(root, document), "utf8"))?.[1];
  if (commit === undefined) throw new Error(`${document} has no line "Last complete run: …".`);
  return Number(git(root, "rev-list", "--count", `${commit}..HEAD`));
}

function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

const maxLength = 72;
const form = /^[a-z0-9][a-z0-9 ,/.-]*: [a-z]/;

const ruleBegins = "0d1022be65b381cab88cf3de31437f8fd89ac65a";

/** The commits since the rule began. None where the history is missing: in an archive or a shallow clone. */
export function newSubjects(directory: string): string[] {
  try {
    const args = ["log", "--no-merges", "--format=%s", `${ruleBegins}..HEAD`];
    const printed = execFileSync("git", args, { cwd: directory, encoding: "utf8", stdio: "pipe" });
    return printed.split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** Returns the subjects that are not `area: verb phrase` or are longer than 72 characters. */
export function wrongSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => subject.length > maxLength || !form.test(subject));
}
