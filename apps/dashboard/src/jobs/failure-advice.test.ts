import { problemCodes } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { failureAdvice, failureCodes } from "./failure-advice.ts";

test("every code with advice is one of the catalogue", () => {
  expect(failureCodes.filter((code) => !(problemCodes as readonly string[]).includes(code))).toEqual([]);
});

test("a code without advice leads to the reference", () => {
  expect(failureAdvice("rate_limited")).toContain("API reference");
});
