import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { isAllowed, licenceOf } from "./licence.ts";
import { shippedPackages } from "./shipped-packages.ts";

test("every package that ships has an allowed licence", () => {
  const packages = shippedPackages(repositoryRoot);
  // An empty list would pass every check.
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(["express", "bullmq", "debug"]));
  const wrong = packages.filter((manifest) => !isAllowed(licenceOf(manifest) ?? ""));
  expect(wrong.map((manifest) => `${manifest.name} ${manifest.version}: ${licenceOf(manifest)}`)).toEqual([]);
});

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-only)", true],
  ["(MIT AND GPL-3.0-only)", false],
  ["Apache-2.0 AND (GPL-3.0-only OR ISC)", true],
  ["MIT AND (GPL-3.0-only AND ISC)", false],
  ["GPL-3.0-only", false],
  ["SEE LICENSE IN LICENSE.md", false],
  ["", false],
])("the licence %j is allowed: %j", (expression, taken) => {
  expect(isAllowed(expression)).toBe(taken);
});

test("a licence is read in its current and its former notations", () => {
  expect(licenceOf({ license: "MIT" })).toBe("MIT");
  expect(licenceOf({ license: { type: "MIT" } })).toBe("MIT");
  expect(licenceOf({ licenses: [{ type: "MIT" }, { type: "GPL-2.0" }] })).toBe("MIT OR GPL-2.0");
  expect(licenceOf({})).toBeUndefined();
});
