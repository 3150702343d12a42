import { expect, test } from "vitest";
import { serializeError } from "./log.ts";

test("an error is logged with its code and causes, without its other properties", () => {
  const cause = Object.assign(new Error("refused"), { code: "23514", detail: "Failing row contains (secret)." });
  const error = Object.assign(new TypeError("query failed", { cause }), { details: ["/secret: is missing"] });
  const logged = serializeError(error);
  expect(logged).toMatchObject({
    type: "TypeError",
    message: "query failed",
    stack: expect.stringContaining("serialize-error.test.ts"),
    cause: { type: "Error", message: "refused", code: "23514" },
  });
  expect(JSON.stringify(logged)).not.toContain("secret");
});

test("collected errors are logged, and circular causes end", () => {
  const error: Error & { cause?: unknown } = new AggregateError([new Error("one"), new Error("two")], "both");
  error.cause = error;
  expect(serializeError(error)).toMatchObject({ message: "both", errors: [{ message: "one" }, { message: "two" }] });
  expect(JSON.stringify(serializeError(error)).length).toBeLessThan(100_000);
});

test("a thrown value is logged if it is primitive; an object is not inspected", () => {
  expect([serializeError("why"), serializeError(undefined), serializeError({ secret: 1 })]).toEqual([
    "why",
    undefined,
    "[an object]",
  ]);
});
