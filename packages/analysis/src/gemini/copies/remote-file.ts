/** The service's copy of a video, as far as its description can be trusted. `sizeBytes` is null when not told. */
export type RemoteFile = {
  name: string;
  uri: string | null;
  displayName: string;
  sizeBytes: number | null;
  createTime: string;
  state: string;
  /** Why it turned FAILED, when told. */
  error: { code: number | null; message: string } | null;
};

/** Reads a File of the service; null when it is none, or names one by a path that leads elsewhere. */
export function readRemoteFile(value: unknown): RemoteFile | null {
  if (!isRecord(value) || typeof value.name !== "string" || !/^files\/[A-Za-z0-9_-]{1,128}$/.test(value.name))
    return null;
  const size = value.sizeBytes === undefined ? Number.NaN : Number(value.sizeBytes);
  return {
    name: value.name,
    uri: typeof value.uri === "string" && value.uri !== "" ? value.uri : null,
    displayName: textOr(value.displayName, ""),
    sizeBytes: Number.isSafeInteger(size) ? size : null,
    createTime: textOr(value.createTime, ""),
    state: textOr(value.state, ""),
    error: isRecord(value.error)
      ? {
          code: typeof value.error.code === "number" ? value.error.code : null,
          message: textOr(value.error.message, ""),
        }
      : null,
  };
}

/** Reads the `{file}` that ends an upload. */
export function readUploadedFile(text: string): RemoteFile | null {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? readRemoteFile(body.file) : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
