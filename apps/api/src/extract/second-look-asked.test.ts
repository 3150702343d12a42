import { expect, test } from "vitest";
import { checksInMeta, checksOf } from "./request-options.ts";

const withHeaders = (headersDistinct: Record<string, string[]>) => checksOf({ headersDistinct } as never);

test.each([
  ["second-look", "secondLook", ["off", "auto", "times"]],
  ["complete-lists", "completeLists", ["off", "on"]],
] as const)("a request chooses with the header %s, a call with its _meta", (name, option, words) => {
  for (const word of words) {
    expect(withHeaders({ [name]: [word] })[option]).toBe(word);
    expect(checksInMeta({ [`video-to-json/${name}`]: word })[option]).toBe(word);
  }
  expect([withHeaders({})[option], checksInMeta({})[option]]).toEqual([undefined, undefined]);
});

test("any other value is refused, and the message names the allowed values", () => {
  const message = expect.stringContaining("`off` or `auto` or `times`");
  const refused = expect.objectContaining({ code: "invalid_request", message });
  for (const values of [["yes"], [""], ["times", "off"]]) {
    expect(() => withHeaders({ "second-look": values }), values.join()).toThrow(refused);
  }
  expect(() => checksInMeta({ "video-to-json/second-look": true })).toThrow(refused);
  expect(() => withHeaders({ "complete-lists": ["yes"] })).toThrow("`off` or `on`");
});
