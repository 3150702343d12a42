import { expect, test } from "vitest";
import { defaultLimits } from "./limits.ts";
import { limitRows, limitsDocument } from "./limits-text.ts";

test("docs/limits.md has the default limits; `pnpm docs:generate` updates it", async () => {
  await expect(limitsDocument(defaultLimits)).toMatchFileSnapshot("../../../docs/limits.md");
});

test("a limit is written in the largest unit that fits", () => {
  const limits = { ...defaultLimits, maxVideoSeconds: 900, maxUploadBytes: 2 ** 30 + 1, maxFileBytes: 3 * 2 ** 30 };
  const words = limitRows(limits).map(([, much]) => much);
  expect(words).toEqual(expect.arrayContaining(["15 minutes", "1073741825 bytes", "3 GiB", "60 s"]));
});
