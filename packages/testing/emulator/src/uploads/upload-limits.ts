/** Every chunk except the last is a multiple of this size. */
export const chunkGranularityBytes = 8 * 1024 * 1024;

/** Gemini documents 2 GB a file. The binary reading never refuses a file that Gemini accepts. */
export const maxFileBytes = 2 * 1024 ** 3;

/** Of a chunk whose connection closed, Gemini keeps whole blocks of this size. */
export const keptBlockBytes = 256 * 1024;

/** Gemini's refusal of a larger file. */
export const fileTooLarge = `File size exceeds the maximum allowed size of ${maxFileBytes} bytes.`;
