type SkeletonProps = {
  /** Width in `em`, about twice the number of characters of the text. */
  readonly width: number;
  readonly height?: number;
};

/** A placeholder for a text that is being loaded, in the size of the text. */
export function Skeleton({ width, height = 1 }: SkeletonProps) {
  return <span className="skeleton" aria-hidden="true" style={{ width: `${width}em`, height: `${height}em` }} />;
}

/** Rows of a table that is being loaded. `widths` has one entry for each column, in `em`. */
export function SkeletonRows({ rows, widths }: { readonly rows: number; readonly widths: readonly number[] }) {
  const row = widths.map((width, column) => ({ id: column, width }));
  return Array.from({ length: rows }, (_, index) => ({ id: index })).map(({ id }) => (
    <tr key={id}>
      {row.map((cell) => (
        <td key={cell.id}>
          <Skeleton width={cell.width} />
        </td>
      ))}
    </tr>
  ));
}
