import { expect, test } from "vitest";
import { securityHeaders } from "./health.ts";

test.each([
  ["https://api.example.com", "max-age=31536000"],
  ["http://api.example.com", undefined],
  [undefined, undefined],
])("with the public URL %s, Strict-Transport-Security is %s", (publicUrl, value) => {
  expect(securityHeaders(publicUrl)["Strict-Transport-Security"]).toBe(value);
});
