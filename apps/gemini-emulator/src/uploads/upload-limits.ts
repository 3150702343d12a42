/** Every chunk but the last is a multiple of this many bytes. */
export const chunkGranularity = 8 * 1024 * 1024;

/** 2 GB a file, read as binary so that nothing the service would take is refused. */
export const largestFile = 2 * 1024 ** 3;

/** Of a chunk that broke off, the service keeps whole blocks of this many bytes. */
export const keptBlock = 256 * 1024;
