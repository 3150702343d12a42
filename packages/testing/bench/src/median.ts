/** Returns the median of some numbers; NaN without any. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2
    ? Number(sorted[Math.floor(middle)])
    : (Number(sorted[middle - 1]) + Number(sorted[middle])) / 2;
}
