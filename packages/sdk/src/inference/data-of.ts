import type { SchemaInput } from "../extract/schema-text.ts";
import type { StandardOutput } from "../extract/standard-schema.ts";
import type { JsonSchemaData } from "./json-schema-data.ts";
import type { RefusedSketch, SketchRefusals } from "./refused-sketch.ts";
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
 * The type of the data that conforms to a schema, or that the schema of a validation library returns. Parts that
 * the schema's type does not fix are `unknown`: a schema as text, a schema whose literal types are lost, a keyword that
 * TypeScript cannot express. For a sketch that the service refuses, the type is `RefusedSketch`, which says why.
 *
 * @example
 * ```ts
 * const schema = { mood: "calm|tense", "title?": "string", cuts: [{ at: "timestamp" }] } as const;
 * type Answer = DataOf<typeof schema>;
 * // { mood: "calm" | "tense"; title?: string; cuts: { at: string }[] }
 * ```
 */
export type DataOf<S extends SchemaInput> =
  IsAny<S> extends true
    ? unknown
    : S extends { readonly "~standard": infer Properties }
      ? StandardOutput<Properties>
      : S extends string | readonly unknown[]
        ? unknown
        : [keyof S] extends [never]
          ? unknown
          : string extends keyof S
            ? unknown
            : Extract<keyof S, JsonSchemaKey> extends never
              ? SketchOrRefusal<S>
              : S extends { [K in Extract<keyof S, JsonSchemaKey>]-?: unknown }
                ? JsonSchemaData<S>
                : unknown;

type SketchOrRefusal<S> =
  SketchRefusals<S> extends infer Why extends string
    ? [Why] extends [never]
      ? SketchData<S>
      : // The template makes the compiler show the words, and not the name of the type that finds them.
        RefusedSketch<`/${Why}`>
    : never;
