import type { Evidence } from "../evidence/evidence.ts";

/** A file that Gemini stores. */
export type StoredFile = {
  /** The name without `files/`. */
  id: string;
  /** The number of the file, in the order of creation. */
  order: number;
  /** The key that uploaded the file. Other keys cannot see it. */
  owner: string;
  path: string;
  displayName: string | undefined;
  mimeType: string;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
  state: "PROCESSING" | "ACTIVE" | "FAILED";
  durationMs: number | undefined;
  /** What the video shows. Rejects if the file is not a video or is deleted before the evidence is complete. */
  evidence: Promise<Evidence>;
  /** Aborts the processing of the file. */
  stop(): void;
};

/**
 * Returns the File resource on the wire. `sha256Hash` is base64 of the digest's hexadecimal text, not of its 32 bytes:
 * that is what Gemini sends.
 */
export function fileResource(file: StoredFile, origin: string): Record<string, unknown> {
  return {
    name: `files/${file.id}`,
    ...(file.displayName === undefined ? {} : { displayName: file.displayName }),
    mimeType: file.mimeType,
    sizeBytes: String(file.size),
    createTime: timestamp(file.createdAt),
    updateTime: timestamp(file.updatedAt),
    expirationTime: timestamp(file.expiresAt),
    sha256Hash: Buffer.from(file.sha256, "latin1").toString("base64"),
    uri: `${origin}/v1beta/files/${file.id}`,
    state: file.state,
    source: "UPLOADED",
    ...(file.state === "ACTIVE" && file.durationMs !== undefined
      ? { videoMetadata: { videoDuration: duration(file.durationMs) } }
      : {}),
    ...(file.state === "FAILED" ? { error: { code: 3, message: "The file failed to be processed." } } : {}),
  };
}

function timestamp(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}

function duration(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))}s`;
}
