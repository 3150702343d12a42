import { expect, test } from "vitest";
import { fillBlocks } from "./fill-blocks.ts";

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
