import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { findDeadLinks } from "./doc-links.ts";
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
