import applicator2019 from "ajv/dist/refs/json-schema-2019-09/meta/applicator.json" with { type: "json" };
import content2019 from "ajv/dist/refs/json-schema-2019-09/meta/content.json" with { type: "json" };
import core2019 from "ajv/dist/refs/json-schema-2019-09/meta/core.json" with { type: "json" };
import format2019 from "ajv/dist/refs/json-schema-2019-09/meta/format.json" with { type: "json" };
import metaData2019 from "ajv/dist/refs/json-schema-2019-09/meta/meta-data.json" with { type: "json" };
import validation2019 from "ajv/dist/refs/json-schema-2019-09/meta/validation.json" with { type: "json" };
import schema2019 from "ajv/dist/refs/json-schema-2019-09/schema.json" with { type: "json" };
import applicator2020 from "ajv/dist/refs/json-schema-2020-12/meta/applicator.json" with { type: "json" };
import content2020 from "ajv/dist/refs/json-schema-2020-12/meta/content.json" with { type: "json" };
import core2020 from "ajv/dist/refs/json-schema-2020-12/meta/core.json" with { type: "json" };
import format2020 from "ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json" with { type: "json" };
import metaData2020 from "ajv/dist/refs/json-schema-2020-12/meta/meta-data.json" with { type: "json" };
import unevaluated2020 from "ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json" with { type: "json" };
import validation2020 from "ajv/dist/refs/json-schema-2020-12/meta/validation.json" with { type: "json" };
import schema2020 from "ajv/dist/refs/json-schema-2020-12/schema.json" with { type: "json" };
import schema06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import schema07 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import schema04 from "ajv-draft-04/dist/refs/json-schema-draft-04.json" with { type: "json" };
import { type JsonObject, toExactValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import type { Dialect } from "./plain-schema.ts";
import type { KnownSchema } from "./resources.ts";
import { isObject } from "./subschemas.ts";

const roots: Record<Dialect, { address: string; schema: object }> = {
  "draft-04": { address: "http://json-schema.org/draft-04/schema", schema: schema04 },
  "draft-06": { address: "http://json-schema.org/draft-06/schema", schema: schema06 },
  "draft-07": { address: "http://json-schema.org/draft-07/schema", schema: schema07 },
  "2019-09": { address: schema2019.$id, schema: schema2019 },
  "2020-12": { address: schema2020.$id, schema: schema2020 },
};

const vocabularies: [Dialect, { $id: string }[]][] = [
  ["2019-09", [applicator2019, content2019, core2019, format2019, metaData2019, validation2019]],
  ["2020-12", [applicator2020, content2020, core2020, format2020, metaData2020, unevaluated2020, validation2020]],
];

/** Returns the metaschema of a dialect. */
export function metaschema(dialect: Dialect): JsonObject {
  return plain(roots[dialect].schema);
}

/** Returns the metaschema, or the part of one, at an absolute address with http or https. Undefined for any other. */
export function knownSchema(uri: string): KnownSchema | undefined {
  const address = uri.replace(/#$/, "").replace(/^https?:/, "");
  for (const dialect of Object.keys(roots) as Dialect[]) {
    if (sameAddress(roots[dialect].address, address)) return { root: metaschema(dialect), dialect };
  }
  for (const [dialect, parts] of vocabularies) {
    const part = parts.find(({ $id }) => sameAddress($id, address));
    if (part) return { root: plain(part), dialect };
  }
  return undefined;
}

/** Returns the union of the keywords of all dialects. */
export function knownKeywords(): Set<string> {
  const parts = [
    ...Object.values(roots).map(({ schema }) => schema),
    ...vocabularies.flatMap(([, schemas]) => schemas),
  ];
  return new Set(parts.flatMap((part) => ("properties" in part ? Object.keys(part.properties as object) : [])));
}

function sameAddress(full: string, withoutScheme: string): boolean {
  return full.replace(/^https?:/, "") === withoutScheme;
}

function plain(schema: object): JsonObject {
  const { value } = toExactValue(
    readJson(JSON.stringify(schema), { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }),
  );
  if (!isObject(value)) throw new Error("The metaschema is not an object.");
  return value;
}
