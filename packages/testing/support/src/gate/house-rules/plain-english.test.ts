import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { findRelapses } from "./plain-english.ts";
import { markdownFiles, scriptFiles, sourceFiles } from "./source-file.ts";

// The specification is given; the others contain the phrases on purpose, or are generated.
const excluded = [
  "docs/specification.md",
  "docs/errors.md",
  "docs/configuration.md",
  "packages/testing/support/src/gate/house-rules/plain-english.ts",
  "packages/testing/support/src/gate/house-rules/plain-english.test.ts",
];

test("comments, messages, test names and documents use plain English", () => {
  const files = [
    ...sourceFiles(repositoryRoot, ["apps", "packages"]),
    ...markdownFiles(repositoryRoot),
    ...scriptFiles(repositoryRoot),
  ];
  expect(files.length).toBeGreaterThan(100);
  const relapses = files.filter(({ path }) => !excluded.includes(path)).flatMap(findRelapses);
  expect(relapses.map(({ path, line, phrase, instead }) => `${path}:${line}: "${phrase}" → ${instead}`)).toEqual([]);
});

test.each([
  ["a.ts", "// The caller is told the reason.", "is told"],
  ["a.ts", "/**\n * A limit that is\n * none at all.\n */", "is none"],
  ["a.ts", "/** Returns the row; null if there is none. */", "is none"],
  ["a.ts", 'throw new Error("The request lacks a schema.");', "lacks"],
  ["a.ts", "run(); // whoever asks", "whoever"],
  ["a.ts", "/** Runs. Who sends too many gets 429. */", ". Who sends too many gets 429."],
  ["a.ts", "// What is no request still gets a body.", "What is no request still gets a body."],
  ["a.ts", "/** Gives the answer. */", "Gives"],
  ["a.ts", 'test("what is no video", () => {});', 'test("what is no video", () => {});'],
  ["a.md", "The far\nend is away.", "far end"],
  ["a.md", "- A job is\n  under way.", "under way"],
  ["a.md", "| fault | of one's own |", "of one's own"],
  ["a.ts", "// The file is no video.", "is no"],
  ["a.ts", "/** What became of the answer. */", "What became of"],
  ["a.md", "The connections break. The jobs run on.", "run on"],
  ["a.ts", "// The upload goes on.", "goes on"],
  ["a.md", "The job is answered all the same.", "all the same"],
  ["a.md", "It belongs into a `server` block.", "belongs into"],
  ["a.md", "It stores a key that nobody has seen.", "that nobody"],
  ["a.py", "# The caller is told the reason.\nrun()\n", "is told"],
  ["a.yaml", "# Redis may\n# lack memory.\nredis: {}\n", "lack"],
])("in %s a forbidden phrase is found: %j", (path, text, phrase) => {
  expect(findRelapses({ path, text }).map((relapse) => relapse.phrase)).toContain(phrase);
});

test.each([
  ["a.ts", "// Who may read it? Only the owner."],
  ["a.ts", "// A client that sends too many requests gets 429."],
  ["a.ts", "// The two cannot be told apart."],
  ["a.ts", "/** Gives up after three attempts. */"],
  ["a.md", "## What is a video"],
  ["a.ts", "// Undefined if there is no video. It is no longer than that."],
  ["a.ts", "// The answers are all the same."],
  ["a.py", "heeded = 1\n"],
  ["a.ts", "// A blacklist; a slack hour; a recommendation."],
  ["a.md", "```\nwhoever\n```\n"],
])("in %s plain words are allowed: %j", (path, text) => {
  expect(findRelapses({ path, text })).toEqual([]);
});

test("a forbidden phrase is reported with its line and with what to write instead", () => {
  expect(findRelapses({ path: "a.ts", text: "const a = 1;\n\n// It lacks a name.\n" })).toEqual([
    { path: "a.ts", line: 3, phrase: "lacks", instead: "has no, is missing" },
  ]);
});
