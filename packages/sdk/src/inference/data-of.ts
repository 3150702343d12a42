import type { SchemaInput } from "../extract/schema-text.ts";
import type { JsonSchemaData } from "./json-schema-data.ts";
import type { SketchData } from "./sketch-data.ts";
import type { IsAny } from "./type-tools.ts";

/** A root with any of these keys is a JSON Schema (specification, "Schema input"). */
type JsonSchemaKey =
  | "$schema"
  | "properties"
  | "$defs"
  | "type"
  | "items"
  | "enum"
  | "anyOf"
  | "oneOf"
  | "allOf"
  | "$ref";

/**
 * The type of the data that a schema asks for. What the type of the schema does not say for certain is `unknown`: a
 * text, a schema that was not written out, a keyword whose meaning types cannot hold.
 */
export type DataOf<S extends SchemaInput> =
  IsAny<S> extends true
    ? unknown
    : S extends string | readonly unknown[]
      ? unknown
      : [keyof S] extends [never]
        ? unknown
        : string extends keyof S
          ? unknown
          : Extract<keyof S, JsonSchemaKey> extends never
            ? SketchData<S>
            : S extends { [K in Extract<keyof S, JsonSchemaKey>]-?: unknown }
              ? JsonSchemaData<S>
              : unknown;
