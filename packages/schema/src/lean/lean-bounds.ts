import type { SchemaDialect } from "./schema-dialect.ts";

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
