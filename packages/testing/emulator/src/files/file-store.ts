import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Evidence } from "../evidence/evidence.ts";
import type { Watcher } from "../evidence/watcher.ts";
import { noSuchFile } from "../protocol/reply.ts";

/** Gemini deletes a file after 48 hours. */
const lifetimeMs = 48 * 3600 * 1000;

/** A complete upload. Other keys than the owner cannot see the file. */
type Upload = {
  owner: string;
  path: string;
  size: number;
  sha256: string;
  mimeType: string;
  displayName: string | undefined;
};

/** A file that Gemini stores. */
export type StoredFile = Upload & {
  /** The name without `files/`. */
  id: string;
  /** The number of the file, in the order of creation. */
  order: number;
  createdAt: Date;
  updatedAt: Date;
  state: "PROCESSING" | "ACTIVE" | "FAILED";
  durationMs: number | undefined;
  /** What the video shows. Rejects if the file is not a video or is deleted before the evidence is complete. */
  evidence: Promise<Evidence>;
  /** Aborts the processing of the file. */
  stop(): void;
  /** Aborts the processing of the file and makes it FAILED. */
  fail(): void;
};

/** The files that Gemini stores. */
export type FileStore = {
  add(upload: Upload): StoredFile;
  /** Throws PERMISSION_DENIED if the file is missing or belongs to another key. */
  find(id: string, owner: string): StoredFile;
  /** Returns the files of one key, newest first. */
  list(owner: string): StoredFile[];
  remove(file: StoredFile): Promise<void>;
  all(): StoredFile[];
};

type StoreDeps = { readonly watcher: Watcher; readonly processingMs: number; onChange(): void };

/** Creates an empty store. A file is PROCESSING until its first frame is decoded and `processingMs` have passed. */
export function createFileStore(deps: StoreDeps): FileStore {
  const files = new Map<string, StoredFile>();
  let order = 0;

  return {
    add(upload) {
      order += 1;
      const id = randomBytes(6).toString("hex");
      const file = createFile(deps, upload, { id, order });
      files.set(id, file);
      deps.onChange();
      return file;
    },
    find(id, owner) {
      const file = files.get(id);
      if (!file || file.owner !== owner) throw noSuchFile(id);
      return file;
    },
    list: (owner) => [...files.values()].filter((file) => file.owner === owner).reverse(),
    async remove(file) {
      if (!files.delete(file.id)) return;
      file.stop();
      await rm(file.path, { force: true });
      deps.onChange();
    },
    all: () => [...files.values()],
  };
}

function createFile(deps: StoreDeps, upload: Upload, identity: { id: string; order: number }): StoredFile {
  const stopping = new AbortController();
  const now = new Date();
  const watched = deps.watcher.watch(upload.path, upload.sha256, stopping.signal);
  const setState = (state: "ACTIVE" | "FAILED") => {
    Object.assign(file, { state, updatedAt: new Date() });
    deps.onChange();
  };
  const file: StoredFile = {
    ...{ ...upload, ...identity, createdAt: now, updatedAt: now, state: "PROCESSING", durationMs: undefined },
    evidence: watched.evidence,
    stop: () => stopping.abort(),
    fail() {
      stopping.abort();
      setState("FAILED");
    },
  };
  const minimumPassed = delay(deps.processingMs, undefined, { signal: stopping.signal, ref: false });
  Promise.all([watched.firstFrame, minimumPassed]).then(
    ([{ durationMs }]) => {
      if (file.state === "FAILED") return;
      file.durationMs = durationMs;
      setState("ACTIVE");
    },
    () => {
      if (!stopping.signal.aborted) setState("FAILED");
    },
  );
  return file;
}

/**
 * Returns the File resource on the wire. `sha256Hash` is base64 of the digest's hexadecimal text, not of its 32 bytes:
 * that is what Gemini sends.
 */
export function fileResource(file: StoredFile, origin: string): Record<string, unknown> {
  const seconds = (file.durationMs ?? 0) / 1000;
  const videoMetadata = { videoDuration: `${Number(seconds.toFixed(3))}s` };
  return {
    name: `files/${file.id}`,
    ...(file.displayName === undefined ? {} : { displayName: file.displayName }),
    mimeType: file.mimeType,
    sizeBytes: String(file.size),
    createTime: timestamp(file.createdAt),
    updateTime: timestamp(file.updatedAt),
    expirationTime: timestamp(new Date(file.createdAt.getTime() + lifetimeMs)),
    sha256Hash: Buffer.from(file.sha256, "latin1").toString("base64"),
    uri: `${origin}/v1beta/files/${file.id}`,
    state: file.state,
    source: "UPLOADED",
    ...(file.state === "ACTIVE" && file.durationMs !== undefined ? { videoMetadata } : {}),
    ...(file.state === "FAILED" ? { error: { code: 3, message: "The file failed to be processed." } } : {}),
  };
}

function timestamp(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}
