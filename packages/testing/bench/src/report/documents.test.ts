import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { fillBlocks } from "./documents.ts";

test("the figures in the repository contain no path of a machine", () => {
  const files = globSync(join(repositoryRoot, "docs", "data", "*.json"));
  expect(files).not.toEqual([]);
  for (const file of files) expect(readFileSync(file, "utf8")).not.toMatch(/"\/\w/);
});

const text =
  "# a\n\n<!-- figures: one -->\nold\n<!-- end of figures -->\n\nwords\n\n<!-- figures: two -->\n<!-- end of figures -->\n";

test("blocks are replaced, and the words around them stay", () => {
  const filled = fillBlocks(text, { one: ["1"], two: ["2"] });
  expect(filled).toContain("<!-- figures: one -->\n\n1\n\n<!-- end of figures -->\n\nwords");
  expect(filled).not.toContain("old");
  expect(fillBlocks(filled, { one: ["1"], two: ["2"] })).toBe(filled);
});

test("a document without a place for a block is refused", () => {
  expect(() => fillBlocks(text, { three: [] })).toThrow(/no block of figures named three/);
});
