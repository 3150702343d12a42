import { Problem } from "@video-to-json/contract";

/** Storage has no object under this key: it was deleted or never put. */
export class ObjectMissing extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`Storage has no object ${key}.`, options);
    this.name = "ObjectMissing";
  }
}

/**
 * Storage cannot take an object now, and it has kept no part of this one. The caller gets `provider_unavailable` and
 * can only retry later (docs/decisions/0005).
 */
export class StorageUnavailable extends Problem {
  constructor(options: { cause: unknown }) {
    const reason = "The service cannot store the video for now.";
    super("provider_unavailable", { reason }, { ...options, retryAfterSeconds: 60 });
    this.name = "StorageUnavailable";
  }
}
