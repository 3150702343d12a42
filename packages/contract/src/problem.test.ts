import { expect, test } from "vitest";
import { errorDocument } from "./error-document.ts";
import { Problem } from "./problem.ts";
import { problems } from "./problem-catalogue.ts";

test("extraction_failed is the only code with status 422", () => {
  const codes = Object.entries(problems).filter(([, { status }]) => status === 422);
  expect(codes.map(([code]) => code)).toEqual(["extraction_failed"]);
});

test("details are bounded in number and length, and absent when there are none", () => {
  const many = new Problem("schema_invalid", "Correct it.", { details: Array(1000).fill("/a: ".padEnd(5000, "x")) });
  expect(many.toInside().details).toHaveLength(50);
  expect(many.toInside().details?.every((detail) => detail.length <= 500)).toBe(true);
  expect(new Problem("not_found", "Check the id.", { details: [] }).toInside()).toEqual({
    code: "not_found",
    message: "Check the id.",
  });
});

test("docs/errors.md is what the catalogue says", async () => {
  await expect(errorDocument()).toMatchFileSnapshot("../../../docs/errors.md");
});
