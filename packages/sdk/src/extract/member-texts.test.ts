import { expect, test } from "vitest";
import { memberTexts } from "./read-back.ts";

test("members keep their key order, number literals, white space and escapes", () => {
  const json =
    ' {\n "id" : "a,\\"}b:" , "schema":{"a":{"b":[1,{"c":"]}"}]}},"data":{"10":1.0, "2":[1e2]},\n"n":null,"\\u0065":-0.0 }\n';
  expect([...memberTexts(json)]).toEqual([
    ["id", '"a,\\"}b:"'],
    ["schema", '{"a":{"b":[1,{"c":"]}"}]}}'],
    ["data", '{"10":1.0, "2":[1e2]}'],
    ["n", "null"],
    ["e", "-0.0"],
  ]);
  expect([...memberTexts("{}")]).toEqual([]);
  expect([...memberTexts('{"a":{}}')]).toEqual([["a", "{}"]]);
});
