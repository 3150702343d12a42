import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { expect, test } from "vitest";

test("the figures in the repository contain no path of a machine", () => {
  const files = globSync(join(repositoryRoot, "docs", "data", "*.json"));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(readFileSync(file, "utf8")).not.toMatch(/"\/\w/);
});
