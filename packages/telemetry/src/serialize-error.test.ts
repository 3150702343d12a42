import { expect, test } from "vitest";
import { serializeError } from "./serialize-error.ts";

test("an error is told with its code and its causes, and without what else hangs on it", () => {
  const cause = Object.assign(new Error("refused"), { code: "23514", detail: "Failing row contains (secret)." });
  const error = Object.assign(new TypeError("query failed", { cause }), { details: ["/secret: is missing"] });
  const told = serializeError(error);
  expect(told).toMatchObject({
    type: "TypeError",
    message: "query failed",
    stack: expect.stringContaining("told-error.test.ts"),
    cause: { type: "Error", message: "refused", code: "23514" },
  });
  expect(JSON.stringify(told)).not.toContain("secret");
});

test("errors that were gathered are told, and causes that go in circles come to an end", () => {
  const error: Error & { cause?: unknown } = new AggregateError([new Error("one"), new Error("two")], "both");
  error.cause = error;
  expect(serializeError(error)).toMatchObject({ message: "both", errors: [{ message: "one" }, { message: "two" }] });
  expect(JSON.stringify(serializeError(error)).length).toBeLessThan(100_000);
});

test("what is no error is told if it is plain, and not looked into if it is not", () => {
  expect([serializeError("why"), serializeError(undefined), serializeError({ secret: 1 })]).toEqual([
    "why",
    undefined,
    "[an object]",
  ]);
});
