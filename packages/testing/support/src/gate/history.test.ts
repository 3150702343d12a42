import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repositoryRoot } from "../test-environment.ts";
import { commitsSinceCompleteRun, maxCommits, newSubjects, recordCompleteRun, wrongSubjects } from "./history.ts";

test("the last complete run of all tests is at most 200 commits old; `./scripts/test --all` records a new one", () => {
  expect(commitsSinceCompleteRun(repositoryRoot) ?? 0).toBeLessThanOrEqual(maxCommits);
});

test("a complete run is recorded with its commit, and later commits are counted", () => {
  const root = mkdtempSync(join(tmpdir(), "v2j-complete-run-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  const commit = () =>
    execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "docs: add"], { cwd: root });
  execFileSync("git", ["init", "-q"], { cwd: root });
  mkdirSync(join(root, "docs"));
  const path = join(root, "docs/reliability.md");
  writeFileSync(
    path,
    "# Reliability\n\nLast complete run: commit `0000000`, 2026-01-01: 1 passed, 0 failed.\n\nMore.\n",
  );
  commit();
  expect(() => commitsSinceCompleteRun(root)).toThrow();
  recordCompleteRun(root, "12 passed, 0 failed");
  expect(readFileSync(path, "utf8")).toMatch(/`[0-9a-f]{10}`, \d{4}-\d\d-\d\d: 12 passed, 0 failed\.\n\nMore\.\n$/);
  expect(commitsSinceCompleteRun(root)).toBe(0);
  commit();
  commit();
  expect(commitsSinceCompleteRun(root)).toBe(2);
  writeFileSync(path, "# Reliability\n");
  expect(() => commitsSinceCompleteRun(root)).toThrow("has no line");
});

test("the subject of each new commit is `area: verb phrase` with at most 72 characters", () => {
  expect(wrongSubjects(newSubjects(repositoryRoot))).toEqual([]);
});

test.each([
  "Queue: move the limiter",
  "queue: Move the limiter",
  "move the limiter",
  "queue:move the limiter",
  `queue: ${"m".repeat(66)}`,
])("%j is wrong", (subject) => {
  expect(wrongSubjects([subject])).toEqual([subject]);
});

test.each(["queue: move the limiter", "schema-input, media: read capabilities", `queue: ${"m".repeat(65)}`])(
  "%j is right",
  (subject) => {
    expect(wrongSubjects([subject])).toEqual([]);
  },
);

test("the history since the rule began is found", () => {
  const isComplete = existsSync(join(repositoryRoot, ".git")) && !existsSync(join(repositoryRoot, ".git", "shallow"));
  expect(newSubjects(repositoryRoot).length > 0).toBe(isComplete);
});

test("a directory without a history has no subjects", () => {
  expect(newSubjects("/")).toEqual([]);
});
