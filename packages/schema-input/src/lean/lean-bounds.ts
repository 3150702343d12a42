const mostCharacters = 64 * 1024;
const mostLevels = 32;

/** A lean copy that a request can carry, or null. The service publishes no bounds; these stay well below what it refuses. */
export function withinLeanBounds(lean: Record<string, unknown> | null): Record<string, unknown> | null {
  if (!lean || levels(lean) > mostLevels || JSON.stringify(lean).length > mostCharacters) return null;
  return lean;
}

function levels(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, inner) => Math.max(deepest, levels(inner)), 0);
}
