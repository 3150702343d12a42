/**
 * The part of JSON Schema that a provider can enforce on its output. Every dialect has `type`, `properties`, `required`
 * and `items`. The bounds keep the lean schema below the size at which the provider refuses it.
 */
export type SchemaDialect = {
  /** The further keywords that the provider takes. */
  readonly keywords: readonly LeanKeyword[];
  /** Longest schema, in characters of JSON text. */
  readonly maxCharacters: number;
  /** Deepest nesting of objects and arrays in the schema's JSON. */
  readonly maxLevels: number;
  readonly maxSubschemas: number;
  /** Most branches of one `anyOf`. */
  readonly maxBranches: number;
  readonly maxEnumValues: number;
  /** Longest `enum`, in characters of JSON text. */
  readonly maxEnumCharacters: number;
  /** Longest `title` or `description`, in characters. */
  readonly maxDescriptionLength: number;
};

/** Every keyword, with limits well below the sizes that a provider refuses. */
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

/**
 * `$ref` means references to `#/$defs/<name>`. `propertyOrdering` lists the keys in the order in which to write them.
 */
export type LeanKeyword =
  | "$ref"
  | "additionalProperties"
  | "anyOf"
  | "description"
  | "enum"
  | "prefixItems"
  | "propertyOrdering"
  | "title";

/** Returns the lean schema, or null when it is larger or deeper than the dialect allows. */
export function withinLeanBounds(
  lean: Record<string, unknown> | null,
  { maxLevels, maxCharacters }: SchemaDialect,
): Record<string, unknown> | null {
  if (!lean || levelsOf(lean) > maxLevels || JSON.stringify(lean).length > maxCharacters) return null;
  return lean;
}

function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, inner) => Math.max(deepest, levelsOf(inner)), 0);
}
