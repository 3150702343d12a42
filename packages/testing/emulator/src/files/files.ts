import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Evidence } from "../evidence/look.ts";
import type { Watcher } from "../evidence/watcher.ts";
import type { Fault } from "../faults/faults.ts";
import { type Exchange, invalidArgument, noSuchFile, type Reply } from "../protocol/exchange.ts";
import type { State } from "../state.ts";

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
  stop(): void;
  fail(): void;
};

/** Creates an empty store. A file is PROCESSING until its first frame is decoded and `processingMs` have passed. */
export function createFileStore(watcher: Watcher, processingMs: number) {
  const files = new Map<string, StoredFile>();
  let order = 0;

  return {
    add(upload: Upload): StoredFile {
      order += 1;
      const id = randomBytes(6).toString("hex");
      const file = createFile(upload, { id, order }, watcher, processingMs);
      files.set(id, file);
      return file;
    },
    /** Throws PERMISSION_DENIED if the file is missing or belongs to another key. */
    find(id: string, owner: string): StoredFile {
      const file = files.get(id);
      if (!file || file.owner !== owner) throw noSuchFile(id);
      return file;
    },
    /** Returns the files of one key, newest first. */
    list: (owner: string) => [...files.values()].filter((file) => file.owner === owner).reverse(),
    async remove(file: StoredFile) {
      if (!files.delete(file.id)) return;
      file.stop();
      await rm(file.path, { force: true });
    },
    all: () => [...files.values()],
  };
}

function createFile(
  upload: Upload,
  identity: { id: string; order: number },
  watcher: Watcher,
  processingMs: number,
): StoredFile {
  const stopping = new AbortController();
  const now = new Date();
  const watched = watcher.watch(upload.path, upload.sha256, stopping.signal);
  const setState = (state: "ACTIVE" | "FAILED") => void Object.assign(file, { state, updatedAt: new Date() });
  const file: StoredFile = {
    ...{ ...upload, ...identity, createdAt: now, updatedAt: now, state: "PROCESSING", durationMs: undefined },
    evidence: watched.evidence,
    stop: () => stopping.abort(),
    fail() {
      stopping.abort();
      setState("FAILED");
    },
  };
  const minimumPassed = delay(processingMs, undefined, { signal: stopping.signal, ref: false });
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

/** `sha256Hash` is base64 of the digest's hexadecimal text, not of its 32 bytes: that is what Gemini sends. */
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

/** Answers GET files/{id} with the File resource itself, and DELETE with an empty object. */
export async function handleFile({ files }: State, exchange: Exchange, owner: string): Promise<Reply> {
  const operation = exchange.request.method === "DELETE" ? "delete" : "get";
  const fault = await exchange.injectFault(operation);
  const file = files.find(exchange.params[0] ?? "", owner);
  await applyFileFault(fault, file, files);
  const state = fault?.kind === "processing" ? "PROCESSING" : file.state;
  if (operation === "get") return { status: 200, json: fileResource({ ...file, state }, exchange.origin) };
  await files.remove(file);
  return { status: 200, json: {} };
}

/** Answers GET files with one page of the key's files, newest first. */
export async function handleListFiles({ files }: State, exchange: Exchange, owner: string): Promise<Reply> {
  await exchange.injectFault("list");
  const query = exchange.url.searchParams;
  const pageSize = Number(query.get("pageSize") ?? query.get("page_size") ?? 0);
  if (!Number.isInteger(pageSize) || pageSize < 0) throw invalidArgument("Invalid value for page_size.");
  // A page continues after a file's number, so that files added or deleted between two pages shift nothing.
  const token = query.get("pageToken") ?? query.get("page_token") ?? "";
  if (!/^\d*$/.test(token)) throw invalidArgument("Invalid page token.");
  const rest = files.list(owner).filter(({ order }) => token === "" || order < Number(token));
  const page = rest.slice(0, pageSize === 0 ? 10 : Math.min(pageSize, 100));
  const json = {
    ...(page.length > 0 ? { files: page.map((file) => fileResource(file, exchange.origin)) } : {}),
    ...(page.length < rest.length ? { nextPageToken: String(page.at(-1)?.order) } : {}),
  };
  return { status: 200, json };
}

/** Applies a fault that makes a file fail or vanish. Throws if the file vanishes. */
export async function applyFileFault(fault: Fault | undefined, file: StoredFile, files: State["files"]): Promise<void> {
  if (fault?.kind === "failed") file.fail();
  if (fault?.kind !== "vanish") return;
  await files.remove(file);
  throw noSuchFile(file.id);
}
