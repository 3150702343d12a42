import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../test-environment.ts";
import { budget, partOf, sizeOf } from "./run-gate.ts";

test("the tree stays within its budget of lines", () => {
  // An archive without its history lists no files.
  const size = existsSync(join(repositoryRoot, ".git")) ? sizeOf(repositoryRoot) : { product: 1, apparatus: 1 };
  expect(size.product).toBeGreaterThan(0);
  expect(size.product, "lines of the product").toBeLessThanOrEqual(budget.product);
  expect(size.apparatus, "lines of the apparatus, with its tests").toBeLessThanOrEqual(budget.apparatus);
});

test.each([
  ["apps/api/src/app.ts", "product"],
  ["packages/sdk-python/src/video_to_json/client.py", "product"],
  ["apps/api/src/app.test.ts", "productTests"],
  ["packages/sdk-python/tests/test_client.py", "productTests"],
  ["apps/api/src/api.harness.ts", "apparatus"],
  ["packages/testing/chaos/src/audit/audit.test.ts", "apparatus"],
  ["packages/analysis/src/gemini/testing/fault-server.ts", "apparatus"],
] as const)("%s belongs to: %s", (path, part) => {
  expect(partOf(path)).toBe(part);
});
