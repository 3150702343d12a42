import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "./program.ts";

test("the version told is the package's", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  expect(version).toBe(manifest.version);
});
