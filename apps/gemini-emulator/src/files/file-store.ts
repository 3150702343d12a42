import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Watcher } from "../evidence/watcher.ts";
import { ApiError, noSuchFile } from "../protocol/api-error.ts";
import type { StoredFile } from "./stored-file.ts";

/** Bytes that were uploaded to their end. */
type Upload = {
  owner: string;
  path: string;
  size: number;
  sha256: string;
  mimeType: string;
  displayName: string | undefined;
  /** `files/…` where the caller chose one. */
  name: string | undefined;
};

/** The files that the service holds. */
export type FileStore = {
  /** Throws ALREADY_EXISTS when a chosen name is taken. */
  checkName(name: string | undefined): void;
  add(upload: Upload): StoredFile;
  /** Throws the service's refusal when the file is missing, expired or another key's. */
  find(id: string, owner: string): StoredFile;
  /** This key's, newest first. */
  list(owner: string): StoredFile[];
  remove(file: StoredFile): Promise<void>;
  count(): number;
  bytes(): number;
  /** Ends all work on every file. */
  stop(): void;
};

type Deps = { watcher: Watcher; processingMs: number; lifetimeMs: number; onChange(): void; now(): Date };

/** An empty store. A file is PROCESSING until it has been looked at and `processingMs` have passed. */
export function createFileStore(deps: Deps): FileStore {
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
      const file = store(deps, upload, { id: upload.name?.slice("files/".length) ?? newId(), order });
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

function store(deps: Deps, upload: Upload, named: { id: string; order: number }): StoredFile {
  const stopping = new AbortController();
  const createdAt = deps.now();
  const watch = deps.watcher.watch(upload.path, upload.sha256, stopping.signal);
  const file: StoredFile = {
    ...upload,
    ...named,
    createdAt,
    updatedAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + deps.lifetimeMs),
    state: "PROCESSING",
    durationMs: undefined,
    evidence: watch.evidence,
    stop: () => stopping.abort(),
  };
  const settle = (state: "ACTIVE" | "FAILED") => {
    file.state = state;
    file.updatedAt = deps.now();
    deps.onChange();
  };
  const waited = delay(deps.processingMs, undefined, { signal: stopping.signal, ref: false });
  Promise.all([watch.firstLook, waited]).then(
    ([{ durationMs }]) => {
      file.durationMs = durationMs;
      settle("ACTIVE");
    },
    () => {
      if (!stopping.signal.aborted) settle("FAILED");
    },
  );
  return file;
}
