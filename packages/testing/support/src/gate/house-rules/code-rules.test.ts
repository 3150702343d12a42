import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { codeBreaches, sourceFiles } from "./source-file.ts";

test("product files keep no state in a module and name their types", () => {
  const files = sourceFiles(repositoryRoot, ["apps", "packages"]);
  expect(codeBreaches(files)).toEqual([]);
});

test.each([
  ["let found = 0;", "keeps mutable state in a module; create it in a function"],
  ["export let found = 0;", "keeps mutable state in a module; create it in a function"],
  ["type Deps = Parameters<typeof run>[0];", "derives a type with Parameters<typeof …>; name the type"],
])("%j is a breach in a product file, and none in a test", (text, breach) => {
  expect(codeBreaches([{ path: "packages/queue/src/a.ts", text }])).toEqual([`packages/queue/src/a.ts: ${breach}`]);
  expect(codeBreaches([{ path: "packages/queue/src/a.test.ts", text }])).toEqual([]);
});

test("a variable inside a function is allowed", () => {
  const text = "export function count() {\n  let found = 0;\n  return found;\n}\n";
  expect(codeBreaches([{ path: "packages/queue/src/a.ts", text }])).toEqual([]);
});
