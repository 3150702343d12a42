import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { findDeadLinks, readRecipes } from "./documents.ts";
import { markdownFiles } from "./source-file.ts";

// The reader creates these files.
const createdLater = new Set(["infra/.env"]);

test("every link and every path in the documents leads to a file", () => {
  const documents = markdownFiles(repositoryRoot);
  const exists = (path: string) => createdLater.has(path) || existsSync(join(repositoryRoot, path));
  expect(documents.length).toBeGreaterThan(10);
  expect(documents.flatMap(({ path, text }) => findDeadLinks(path, text, exists))).toEqual([]);
});

test("a link to a missing file and a quoted path that is missing are found, with their lines", () => {
  const text =
    "See [a](a.md), [b](../b.md#part) and [c](https://example.com).\n`packages/x/src/y.ts` and `packages/<name>`.";
  expect(findDeadLinks("docs/page.md", text, (path) => path === "docs/a.md")).toEqual([
    { path: "docs/page.md", line: 1, target: "b.md" },
    { path: "docs/page.md", line: 2, target: "packages/x/src/y.ts" },
  ]);
});

test("every file that a recipe of CONTRIBUTING.md lists exists", () => {
  const recipes = readRecipes(readFileSync(join(repositoryRoot, "CONTRIBUTING.md"), "utf8"));
  expect(recipes.length).toBeGreaterThanOrEqual(5);
  expect(recipes.filter(({ files }) => files.length === 0)).toEqual([]);
  const missing = recipes.flatMap(({ title, files }) =>
    files.filter((path) => !existsSync(join(repositoryRoot, path))).map((path) => `${title}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test("a recipe has the paths of its list, with the examples that it names in place of placeholders", () => {
  const text = [
    "# Contributing",
    "Run `./scripts/test`.",
    "## Add an error code",
    "The example is `<code>` = `media_unreadable`.",
    "### Files",
    "- `packages/contract/src/errors/<code>.ts` and `docs/errors.md`: the entry `x`",
    "- `README.md`",
    "### Then",
    "- `packages/nothing.ts`",
  ];
  expect(readRecipes(text.join("\n"))).toEqual([
    {
      title: "Add an error code",
      files: ["packages/contract/src/errors/media_unreadable.ts", "docs/errors.md", "README.md"],
    },
  ]);
});
