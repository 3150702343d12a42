import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Watcher } from "../evidence/watcher.ts";
import { ApiError, noSuchFile } from "../protocol/api-error.ts";
import type { StoredFile } from "./stored-file.ts";

/** A complete upload. */
type Upload = {
  owner: string;
  path: string;
  size: number;
  sha256: string;
  mimeType: string;
  displayName: string | undefined;
  /** `files/…`, if the caller chose a name. */
  name: string | undefined;
};

/** The files that Gemini stores. */
export type FileStore = {
  /** Throws ALREADY_EXISTS if the name is in use. */
  checkName(name: string | undefined): void;
  add(upload: Upload): StoredFile;
  /** Throws PERMISSION_DENIED if the file is missing, has expired or belongs to another key. */
  find(id: string, owner: string): StoredFile;
  /** Returns the files of one key, newest first. */
  list(owner: string): StoredFile[];
  remove(file: StoredFile): Promise<void>;
  count(): number;
  bytes(): number;
  /** Aborts the processing of all files. */
  stop(): void;
};

type StoreDeps = {
  readonly watcher: Watcher;
  readonly processingMs: number;
  readonly lifetimeMs: number;
  onChange(): void;
  now(): Date;
};

/** Creates an empty store. A file is PROCESSING until its first frame is decoded and `processingMs` have passed. */
export function createFileStore(deps: StoreDeps): FileStore {
  const files = new Map<string, StoredFile>();
  let order = 0;

  async function remove(file: StoredFile): Promise<void> {
    if (!files.delete(file.id)) return;
    file.stop();
    await rm(file.path, { force: true });
    deps.onChange();
  }

  function checkName(name: string | undefined): void {
    if (name === undefined || !files.has(name.slice("files/".length))) return;
    throw new ApiError(409, "ALREADY_EXISTS", "Requested entity already exists");
  }

  return {
    checkName,
    add(upload) {
      checkName(upload.name);
      order += 1;
      const file = createFile(deps, upload, { id: upload.name?.slice("files/".length) ?? newId(), order });
      files.set(file.id, file);
      deps.onChange();
      return file;
    },
    find(id, owner) {
      const file = files.get(id);
      if (!file || file.owner !== owner) throw noSuchFile(id);
      if (file.expiresAt > deps.now()) return file;
      void remove(file);
      throw noSuchFile(id);
    },
    list: (owner) => [...files.values()].filter((file) => file.owner === owner).reverse(),
    remove,
    count: () => files.size,
    bytes: () => [...files.values()].reduce((sum, { size }) => sum + size, 0),
    stop: () => {
      for (const file of files.values()) file.stop();
    },
  };
}

const idLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

function newId(): string {
  return Array.from({ length: 12 }, () => idLetters[randomInt(idLetters.length)]).join("");
}

function createFile(deps: StoreDeps, upload: Upload, identity: { id: string; order: number }): StoredFile {
  const stopping = new AbortController();
  const createdAt = deps.now();
  const watched = deps.watcher.watch(upload.path, upload.sha256, stopping.signal);
  const file: StoredFile = {
    ...upload,
    ...identity,
    createdAt,
    updatedAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + deps.lifetimeMs),
    state: "PROCESSING",
    durationMs: undefined,
    evidence: watched.evidence,
    stop: () => stopping.abort(),
  };
  const setState = (state: "ACTIVE" | "FAILED") => {
    file.state = state;
    file.updatedAt = deps.now();
    deps.onChange();
  };
  const minimumPassed = delay(deps.processingMs, undefined, { signal: stopping.signal, ref: false });
  Promise.all([watched.firstFrame, minimumPassed]).then(
    ([{ durationMs }]) => {
      file.durationMs = durationMs;
      setState("ACTIVE");
    },
    () => {
      if (!stopping.signal.aborted) setState("FAILED");
    },
  );
  return file;
}
