const usualChunk = 8 * 1024 * 1024;

/** Bytes a chunk: 8 MiB, or the multiple of the service's granularity that comes nearest without exceeding it, if any. */
export function chunkSize(granularity: string | undefined): number {
  const unit = granularity !== undefined && /^\d{1,12}$/.test(granularity) ? Number(granularity) : usualChunk;
  if (unit < 1) return usualChunk;
  return unit > usualChunk ? unit : usualChunk - (usualChunk % unit);
}
