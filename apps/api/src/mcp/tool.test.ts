import { ExtractArguments, ExtractResponse, ExtractResult } from "@video-to-json/contract/shapes/extract";
import { RecentExtractions } from "@video-to-json/contract/shapes/jobs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { schemaOf } from "./tool.ts";

const values = [{ a: 1 }, [1], "text", 1.5, true, null];

test("a schema that allows any value lists the JSON types and still accepts them all", () => {
  const data = schemaOf(ExtractResponse).properties?.data as object;
  expect(Object.keys(data)).toEqual(["description", "anyOf"]);
  const takes = new Ajv2020().compile(data);
  expect(values.filter((value) => !takes(value))).toEqual([]);
});

test("the rest of a shape is unchanged", () => {
  for (const shape of [ExtractArguments, ExtractResult, RecentExtractions]) {
    const given = JSON.stringify(schemaOf(shape));
    const kinds = /,"anyOf":\[\{"type":"object"\},\{"type":"array"\}[^\]]*\]/g;
    expect(given.replaceAll(kinds, "")).toBe(JSON.stringify(shape));
  }
});
