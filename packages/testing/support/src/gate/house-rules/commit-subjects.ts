import { execFileSync } from "node:child_process";

const maxLength = 72;
const form = /^[a-z0-9][a-z0-9 ,/.-]*: [a-z]/;

/** The last commit before the rule for subjects. */
const ruleBegins = "0d1022be65b381cab88cf3de31437f8fd89ac65a";

/**
 * Returns the subjects of the commits since the rule began. Returns an empty list where the history is missing: in an
 * archive or a shallow clone.
 */
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
