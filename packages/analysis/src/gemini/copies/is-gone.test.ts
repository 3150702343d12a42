import { expect, test } from "vitest";
import { GeminiError } from "../wire/gemini-error.ts";
import { isGone } from "./is-gone.ts";

const noFile = "You do not have permission to access the File abc or it may not exist.";

test.each([
  [404, "", true],
  [403, noFile, true],
  [403, "HTTP status 403", false],
  [403, "Generative Language API has not been used in project 123 before or it is disabled.", false],
  [403, "Method doesn't allow unregistered callers.", false],
  [400, noFile, false],
])("the answer %i (%s) means that the copy is gone: %j", (status, message, gone) => {
  expect(isGone(new GeminiError(message, { status }))).toBe(gone);
});
