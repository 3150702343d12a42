/**
 * Returns whether a file could not be written because of the disk or this process, rather than because of the file's
 * bytes.
 */
export function isDiskFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && diskFaults.has(error.code);
}

const diskFaults = new Set<unknown>([
  ...["ENOSPC", "EDQUOT", "EFBIG"],
  ...["EROFS", "EACCES", "EPERM"],
  // The directory was deleted or replaced.
  ...["ENOTDIR", "EEXIST", "ENOENT", "ELOOP"],
  ...["EIO", "ENXIO", "ENODEV", "ESTALE"],
  ...["EMFILE", "ENFILE"],
]);
