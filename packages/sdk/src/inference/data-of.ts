import type { SchemaInput } from "../extract/schema-text.ts";

/** The type of the data that a schema asks for. */
export type DataOf<S extends SchemaInput> = S extends string ? unknown : unknown;
