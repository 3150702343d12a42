import type { SchemaDialect } from "./schema-dialect.ts";

/** A dialect with every keyword. */
export const fullDialect: SchemaDialect = {
  keywords: [
    ...(["$ref", "additionalProperties", "anyOf", "description"] as const),
    ...(["enum", "prefixItems", "propertyOrdering", "title"] as const),
  ],
  maxCharacters: 64 * 1024,
  maxLevels: 32,
  maxSubschemas: 3000,
  maxBranches: 12,
  maxEnumValues: 200,
  maxEnumCharacters: 8000,
  maxDescriptionLength: 1000,
};
