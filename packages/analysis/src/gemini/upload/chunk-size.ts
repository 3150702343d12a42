const usualChunkBytes = 8 * 1024 * 1024;

/**
 * Returns the number of bytes per chunk: 8 MiB, rounded down to a multiple of Gemini's granularity. A larger
 * granularity is used as it is.
 */
export function chunkSize(granularity: string | undefined): number {
  const unit = granularity !== undefined && /^\d{1,12}$/.test(granularity) ? Number(granularity) : usualChunkBytes;
  if (unit < 1) return usualChunkBytes;
  return unit > usualChunkBytes ? unit : usualChunkBytes - (usualChunkBytes % unit);
}
