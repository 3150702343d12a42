import type { Evidence } from "../evidence/evidence.ts";

/** A file that the service holds. */
export type StoredFile = {
  /** Without `files/`. */
  id: string;
  /** Grows with every file. */
  order: number;
  /** The key that uploaded it; to every other key it does not exist. */
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
  /** What is to be seen and heard in it. Rejects when the file is no video or was deleted meanwhile. */
  evidence: Promise<Evidence>;
  /** Ends all work on it. */
  stop(): void;
};

/**
 * The File resource on the wire. `sha256Hash` is base64 of the digest's hexadecimal text, which is what the live
 * service is seen to send, and not of the 32 bytes.
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
