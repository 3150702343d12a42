import { tableLines } from "./table.ts";

/** A step that makes a table narrower: cut the cells of a column down to a width, or leave the column out. */
type Narrowing = { column: string; to: number };

type Options = {
  /** The terminal's width in characters; undefined for no limit. */
  columns: number | undefined;
  /** Taken in this order until the table fits. `to: 0` leaves the column out. */
  narrowings: readonly Narrowing[];
};

/**
 * Formats rows, the first of which are headings, as lines of at most `columns` characters. Cut cells end with `…`. A table
 * that is too wide after every narrowing stays too wide.
 */
export function fitTable(rows: readonly (readonly string[])[], { columns, narrowings }: Options): string[] {
  const headings = rows[0] ?? [];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const shown = () => widths.filter((width) => width > 0);
  const excess = () => shown().reduce((sum, width) => sum + width, 2 * (shown().length - 1)) - (columns ?? Infinity);
  for (const { column, to } of narrowings) {
    const index = headings.indexOf(column);
    const width = widths[index] ?? 0;
    if (excess() > 0 && width > to) widths[index] = to === 0 ? 0 : Math.max(to, width - excess());
  }
  return tableLines(
    rows.map((row) => row.flatMap((cell, column) => (widths[column] ? [cut(cell, widths[column])] : []))),
  );
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
