import { expect, test } from "vitest";
import { defaultLimits } from "../limits.ts";
import { errorDocument } from "./error-document.ts";
import { Problem, schemaInvalid } from "./problem.ts";
import { type CatalogueEntry, problemCodes, problems } from "./problem-catalogue.ts";

test("the message of schema_invalid names the first fault, also without the details", () => {
  const message = (...details: string[]) => schemaInvalid(details).message;
  expect(message('/type: write "string"')).toBe(
    'The schema cannot be used: /type: write "string". Correct the schema as `details` says.',
  );
  expect(message(": is empty; name a key", "/a: b", "/c: d")).toMatch(
    /: is empty; name a key \(and 2 more\)\. Correct/,
  );
  expect(message(`/${"x".repeat(500)}: y`).length).toBeLessThan(400);
});

test("extraction_failed is the only code with status 422", () => {
  const codes = Object.entries(problems).filter(([, { status }]) => status === 422);
  expect(codes.map(([code]) => code)).toEqual(["extraction_failed"]);
});

test("details are limited in number and length; an empty list is left out", () => {
  const many = new Problem("schema_invalid", { faults: [] }, { details: Array(1000).fill("/a: ".padEnd(5000, "x")) });
  expect(many.toInside().details).toHaveLength(50);
  expect(many.toInside().details?.every((detail) => detail.length <= 500)).toBe(true);
  expect(new Problem("not_found", {}, { details: [] }).toInside()).toEqual({
    code: "not_found",
    message: "Nothing was found here. Check the path, the method and the id.",
  });
});

test("a Retry-After of the thrower replaces the default of the code, also in the message", () => {
  const usual = new Problem("provider_unavailable", { reason: "No answer came in time." });
  expect([usual.retryAfterSeconds, usual.message]).toEqual([30, expect.stringContaining("Retry in 30 s")]);
  const own = new Problem("provider_unavailable", { reason: "No answer came in time." }, { retryAfterSeconds: 7 });
  expect([own.retryAfterSeconds, own.message]).toEqual([7, expect.stringContaining("Retry in 7 s")]);
  expect(new Problem("not_found", {}).retryAfterSeconds).toBeUndefined();
});

test("a stored problem comes back word for word", () => {
  const stored = { code: "media_unreadable", message: "As an older release wrote it.", details: ["/a: b"] } as const;
  const problem = Problem.fromStored({ ...stored, details: [...stored.details] }, 9);
  expect(problem.toInside()).toEqual(stored);
  expect([problem.status, problem.retryAfterSeconds]).toEqual([415, 9]);
  expect(Problem.fromStored({ code: "too_many_jobs", message: "Later." }, null).retryAfterSeconds).toBe(5);
});

test.each(problemCodes)("the message of %s contains its advice at most once", (code) => {
  const { example, advice, message }: CatalogueEntry<unknown> = problems[code];
  const text = message(example(defaultLimits).parameters, 1);
  expect(text).not.toContain("undefined");
  expect(text.split(advice).length).toBeLessThanOrEqual(2);
  expect(text.split("Nothing was charged.").length).toBeLessThanOrEqual(2);
});

test("docs/errors.md matches the catalogue", async () => {
  await expect(errorDocument()).toMatchFileSnapshot("../../../../docs/errors.md");
});

test("the compiler refuses parameters of another code", () => {
  // @ts-expect-error: no reason
  expect(() => new Problem("video_unreachable", {})).not.toThrow();
  // @ts-expect-error: a code without parameters
  expect(() => new Problem("schema_missing", { reason: "Send it." })).not.toThrow();
  // @ts-expect-error: a reason that is not in the catalogue
  expect(() => new Problem("unauthorised", { reason: "why" })).not.toThrow();
  // @ts-expect-error: the message is not text by hand
  expect(() => new Problem("not_found", "Nothing here.")).toThrow();
});
