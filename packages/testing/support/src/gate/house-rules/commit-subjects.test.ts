import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { newSubjects, wrongSubjects } from "./commit-subjects.ts";

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
