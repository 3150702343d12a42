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
  ["a comment", "a.ts", "// The caller is told the reason.", "is told"],
  ["a phrase that continues on the next line", "a.ts", "/**\n * A limit that is\n * none at all.\n */", "is none"],
  ["a result that is missing", "a.ts", "/** Returns the row; null if there is none. */", "is none"],
  ["an error message", "a.ts", 'throw new Error("The request lacks a schema.");', "lacks"],
  ["a comment after code", "a.ts", "run(); // whoever asks", "whoever"],
  [
    "an inverted sentence",
    "a.ts",
    "/** Runs. Who sends too many requests gets 429. */",
    ". Who sends too many requests gets 429.",
  ],
  [
    "an inverted subject",
    "a.ts",
    "// What is no request still gets an Error body.",
    "What is no request still gets an Error body.",
  ],
  ["a docstring that starts with Gives", "a.ts", "/** Gives the answer. */", "Gives"],
  [
    "an inverted test name",
    "a.ts",
    'test("what is no video is refused", () => {});',
    'test("what is no video is refused", () => {});',
  ],
  ["a paragraph of a document", "a.md", "The far\nend is away.", "far end"],
  ["a list item", "a.md", "- A job is\n  under way.", "under way"],
  ["a table cell", "a.md", "| fault | of one's own |", "of one's own"],
  ["a noun with no", "a.ts", "// The file is no video.", "is no"],
  ["an outcome", "a.ts", "/** What became of the answer. */", "What became of"],
  ["a job that runs on", "a.md", "The connections break. The jobs run on.", "run on"],
  ["an upload that goes on", "a.ts", "// The upload goes on.", "goes on"],
  ["a contradiction", "a.md", "The job is answered all the same.", "all the same"],
  ["a place", "a.md", "It belongs into a `server` block.", "belongs into"],
  ["an agent that does not exist", "a.md", "It stores a key that nobody has seen.", "that nobody"],
  ["a comment in Python", "a.py", "# The caller is told the reason.\nrun()\n", "is told"],
  ["a comment in YAML", "a.yaml", "# Redis may\n# lack memory.\nredis: {}\n", "lack"],
])("%s with a forbidden phrase is found", (_name, path, text, phrase) => {
  expect(findRelapses({ path, text }).map((relapse) => relapse.phrase)).toContain(phrase);
});

test.each([
  ["a question", "a.ts", "// Who may read it? Only the owner."],
  ["a sentence with a relative clause", "a.ts", "// A client that sends too many requests gets 429."],
  ["telling two things apart", "a.ts", "// The two cannot be told apart."],
  ["a process that gives up", "a.ts", "/** Gives up after three attempts. */"],
  ["a heading", "a.md", "## What is a video"],
  ["a sentence with there is no", "a.ts", "// Undefined if there is no video. It is no longer than that."],
  ["three equal things", "a.ts", "// The answers are all the same."],
  ["code in Python", "a.py", "heeded = 1\n"],
  ["a word that contains another", "a.ts", "// A blacklist; a slack hour; a recommendation."],
  ["code in a document", "a.md", "```\nwhoever\n```\n"],
])("%s is not", (_name, path, text) => {
  expect(findRelapses({ path, text })).toEqual([]);
});

test("a relapse names its line", () => {
  expect(findRelapses({ path: "a.ts", text: "const a = 1;\n\n// It lacks a name.\n" })).toEqual([
    { path: "a.ts", line: 3, phrase: "lacks", instead: "has no, is missing" },
  ]);
});
