/** A row of a query, by the names of its columns. */
export type Row = Record<string, unknown>;

/** Returns the text of a value, or null. */
export function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Returns the number of a value, or null. */
export function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
