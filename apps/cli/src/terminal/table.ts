/**
 * Formats rows as lines with aligned columns, two spaces apart. Aligns columns of up to `maxWidth` characters; longer
 * cells push the rest of their line to the right.
 */
export function tableLines(rows: readonly (readonly string[])[], maxWidth = Number.POSITIVE_INFINITY): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.min(maxWidth, Math.max(widths[column] ?? 0, cell.length));
    }
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
