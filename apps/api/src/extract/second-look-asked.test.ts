import { expect, test } from "vitest";
import { secondLookInMeta, secondLookOf } from "./request-options.ts";

const withHeader = (...values: string[]) =>
  secondLookOf({ headersDistinct: values.length > 0 ? { "second-look": values } : {} } as never);

test("a request asks for a second look with a header, a call with its _meta", () => {
  expect(["times", "auto", "off"].map((word) => withHeader(word))).toEqual(["times", "auto", "off"]);
  expect(withHeader()).toBeUndefined();
  expect(secondLookInMeta({ "video-to-json/second-look": "times" })).toBe("times");
  expect(secondLookInMeta({})).toBeUndefined();
});

test("any other value is refused, and the message names the allowed values", () => {
  const refused = { code: "invalid_request", message: expect.stringContaining("`off` or `auto` or `times`") };
  for (const values of [["yes"], [""], ["times", "off"]]) {
    expect(() => withHeader(...values), values.join()).toThrow(expect.objectContaining(refused));
  }
  expect(() => secondLookInMeta({ "video-to-json/second-look": true })).toThrow(expect.objectContaining(refused));
});
