import { Problem } from "@video-to-json/contract";

/** There is no object under this key: it was deleted, or never put. */
export class ObjectMissing extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`There is no object ${key} in storage.`, options);
    this.name = "ObjectMissing";
  }
}

/**
 * The storage takes no object now, being full, read-only, broken or gone, and nothing of this one was kept:
 * `provider_unavailable` to the caller, who can do nothing about it but wait (docs/decisions/0005).
 */
export class StorageUnavailable extends Problem {
  constructor(options: { cause: unknown }) {
    const reason = "The service cannot store the video for now.";
    super("provider_unavailable", { reason }, { ...options, retryAfterSeconds: 60 });
    this.name = "StorageUnavailable";
  }
}

/** Whether a file could not be written for a reason that lies with the disk or the process, not with its bytes. */
export function isStorageFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && storageFaults.has(error.code);
}

const storageFaults = new Set<unknown>([
  ...["ENOSPC", "EDQUOT", "EFBIG"],
  ...["EROFS", "EACCES", "EPERM"],
  // The directory is another thing now, or was deleted.
  ...["ENOTDIR", "EEXIST", "ENOENT", "ELOOP"],
  ...["EIO", "ENXIO", "ENODEV", "ESTALE"],
  ...["EMFILE", "ENFILE"],
]);
