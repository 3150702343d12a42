import { readFile, stat } from "node:fs/promises";
import { Problem } from "@video-to-json/contract";
import type { ClipVideo, VideoFile } from "../analysis-provider.ts";
import { displayNameOf, type GeminiFile, listCopies, readGeminiFile } from "./copies.ts";
import { GeminiError } from "./gemini-error.ts";
import { causeOfFailure, isGone, providerUnavailable, unreadableByProvider } from "./refusal.ts";
import { type RetryContext, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";
import type { UploadDeps, UploadedCopies } from "./upload-video.ts";

/** A video as a question names it: a file at Gemini, or the bytes themselves. */
type SentVideo = { name: string; uri: string; mimeType: string } | Pick<ClipVideo, "bytes" | "mimeType">;

/** Gemini's copy of one video during one job, or the video inside each question. */
export type ProviderCopy = {
  /**
   * Returns the video for a question. Uploads it if it goes as a file and there is no copy, and waits until Gemini has
   * processed it. Throws Problem or the reason of the signal.
   */
  ready(): Promise<SentVideo>;
  /** Sends the video the other way from now on. Returns false if that is not possible, or was tried before. */
  switchWay(): boolean;
  /** To be called when Gemini says that the copy does not exist. */
  markGone(): void;
  /** To be called when Gemini says that the copy is not processed yet. */
  markNotReady(): void;
  /** Deletes every copy that this job made or may have made. Never throws; the log names the copies that stay. */
  discard(): Promise<void>;
};

export type CopyDeps = UploadDeps & {
  readonly sdk: Pick<Sdk, "getFile" | "deleteFile" | "listFiles">;
  readonly inline: InlineRoom;
  /** Uploads a video once. Adds every copy that it makes, or may make, to `uploaded`. Throws as `uploadVideo`. */
  upload(video: VideoFile, context: RetryContext, uploaded: UploadedCopies): Promise<GeminiFile>;
};

/** How much video this process sends inside questions at once: each byte is in memory about five times. */
export type InlineRoom = {
  /** Takes room for a video if it is small enough to go inside questions; `isLastWay`: because its upload fails. */
  take(bytes: number, isLastWay: boolean): boolean;
  give(bytes: number): void;
};

const maxBytesAtOnce = 64_000_000;
/** Newer documents of Google allow 100 MB for a question, base64 included. */
const maxLastWayBytes = 60_000_000;

/** Opens the room. Videos of up to `maxBytes` usually go inside their questions; with 0, none ever does. */
export function openInlineRoom(maxBytes: number): InlineRoom {
  let used = 0;
  return {
    take(bytes, isLastWay) {
      const most = maxBytes > 0 && isLastWay ? Math.max(maxBytes, maxLastWayBytes) : maxBytes;
      if (bytes > most || used + bytes > maxBytesAtOnce) return false;
      used += bytes;
      return true;
    },
    give(bytes) {
      used -= bytes;
    },
  };
}

const maxUploads = 3;
const minPollMs = 250;
const maxPollMs = 2_000;
const maxDiscardMs = 10_000;
// Listing must not use up the time of the deletions.
const maxListSilenceMs = 3_000;
const retryAfterMs = 30_000;
/** A video is usually processed in seconds. After this time and twice its length, it never will be. */
const maxProcessingMs = 60_000;
const maxStuck = 2;
/** Refusals of a key that may ask, but may not use files. */
const refusedFiles: ReadonlySet<number | null> = new Set([400, 401, 403, 404]);

/** Creates the copy of one video. It sends no request before `ready`. */
export function createProviderCopy(deps: CopyDeps, video: VideoFile, context: RetryContext): ProviderCopy {
  const { jobId } = video;
  const uploaded: UploadedCopies = { names: new Set(), unnamed: 0 };
  let current: { file: GeminiFile; isActive: boolean } | null = null;
  let uploads = 0;
  let failures = 0;
  let stuck = 0;
  let size: number | undefined;
  /** The bytes that go inside the questions; null while the video goes as a file. */
  let inlineBytes: number | null | undefined;
  let hasSwitched = false;

  const copy: ProviderCopy = {
    async ready() {
      if (inlineBytes === undefined) inlineBytes = await chooseInline();
      for (;;) {
        if (inlineBytes !== null) return { bytes: await readFile(video.path), mimeType: video.mimeType };
        if (current?.isActive) {
          const { name, uri } = current.file;
          return { name, uri: uri ?? uriOf(current.file), mimeType: video.mimeType };
        }
        if (!current) {
          current = await upload();
          continue;
        }
        const outcome = await waitUntilProcessed(current.file);
        if (outcome.kind === "active") current.isActive = true;
        if (outcome.kind === "gone") current = null;
        if (outcome.kind === "stuck") handleStuck();
        if (outcome.kind === "failed") await handleFailure(outcome.error);
      }
    },
    switchWay() {
      if (hasSwitched || size === undefined) return false;
      if (inlineBytes === null && !deps.inline.take(size, true)) return false;
      hasSwitched = true;
      if (inlineBytes) deps.inline.give(inlineBytes);
      inlineBytes = inlineBytes === null ? size : null;
      deps.log.warn({ jobId, way: inlineBytes === null ? "file" : "inline" }, "video goes the other way");
      return true;
    },
    markGone() {
      current = null;
    },
    markNotReady() {
      if (current) current.isActive = false;
    },
    async discard() {
      if (inlineBytes) deps.inline.give(inlineBytes);
      inlineBytes = null;
      const signal = AbortSignal.timeout(maxDiscardMs);
      const cleanUp: RetryContext = { ...context, signal, deadline: new Date(deps.clock.now() + maxDiscardMs) };
      const known = [...uploaded.names];
      const unnamed = uploaded.unnamed > 0 ? findOtherCopies(known, cleanUp) : [];
      // Copies with a known name are deleted at once, however long the list takes.
      await Promise.all([
        ...known.map((name) => deleteCopy(name, cleanUp)),
        Promise.resolve(unnamed).then((names) => Promise.all(names.map((name) => deleteCopy(name, cleanUp)))),
      ]);
    },
  };
  return copy;

  async function chooseInline(): Promise<number | null> {
    size = (await stat(video.path)).size;
    return deps.inline.take(size, false) ? size : null;
  }

  /** Returns null if the video goes inside its questions from now on. */
  async function upload() {
    if (uploads >= maxUploads) {
      if (copy.switchWay()) return null;
      throw providerUnavailable(new Error("Every copy vanished."), retryAfterMs);
    }
    uploads++;
    const startedAt = deps.clock.now();
    const file = await deps.upload(video, context, uploaded).catch((error: unknown) => {
      const isRefused = error instanceof Problem && error.code === "provider_unavailable";
      const cause = isRefused && error.cause;
      if (cause instanceof GeminiError && refusedFiles.has(cause.status) && copy.switchWay()) return null;
      throw error;
    });
    if (!file) return null;
    deps.log.info({ jobId, file: file.name, ms: deps.clock.now() - startedAt }, "video uploaded");
    return { file, isActive: file.state === "ACTIVE" };
  }

  async function waitUntilProcessed(file: GeminiFile) {
    const untilMs = deps.clock.now() + maxProcessingMs + 2 * video.durationMs;
    for (let pauseMs = minPollMs; ; pauseMs = Math.min(maxPollMs, pauseMs * 1.5)) {
      const seen = await getFile(file.name);
      if (seen === "gone") return { kind: "gone" } as const;
      if (seen.state === "ACTIVE") return { kind: "active" } as const;
      if (seen.state === "FAILED") return { kind: "failed", error: seen.error } as const;
      if (deps.clock.now() >= untilMs) return { kind: "stuck" } as const;
      await deps.clock.wait(pauseMs, context.signal);
    }
  }

  async function getFile(name: string): Promise<GeminiFile | "gone"> {
    try {
      return await retryRequest(deps, context, "get copy", async () => {
        const file = readGeminiFile(await deps.sdk.getFile(name, context.signal));
        if (!file) throw new GeminiError("The reply does not describe a file.", { status: 200 });
        return file;
      });
    } catch (error) {
      if (error instanceof GeminiError && isGone(error)) return "gone";
      throw error instanceof GeminiError ? providerUnavailable(error, retryAfterMs) : error;
    }
  }

  /**
   * Drops the copy, so that the video is uploaded once more. Throws when the video is the cause, or after two
   * failures.
   */
  async function handleFailure(error: GeminiFile["error"]): Promise<void> {
    failures++;
    const cause = causeOfFailure(error);
    deps.log.warn({ jobId, error, cause, failures }, "provider could not process the video");
    if (cause === "media" || (failures > 1 && cause === "unknown")) throw unreadableByProvider(error);
    if (failures > 1) throw providerUnavailable(error, retryAfterMs);
    current = null;
  }

  /** Drops a copy that is never processed. The second time, the video goes the other way. */
  function handleStuck(): void {
    stuck++;
    deps.log.warn({ jobId, stuck }, "provider does not finish processing the video");
    current = null;
    if (stuck >= maxStuck && !copy.switchWay()) {
      throw providerUnavailable(new Error("The provider does not finish processing the video."), retryAfterMs);
    }
  }

  async function findOtherCopies(known: readonly string[], cleanUp: RetryContext): Promise<string[]> {
    try {
      return (await listCopies(deps, cleanUp, maxListSilenceMs))
        .filter((copy) => copy.displayName === displayNameOf(jobId) && !known.includes(copy.name))
        .map(({ name }) => name);
    } catch (error) {
      deps.log.warn({ jobId, err: error }, "provider copies not listed; left for the sweep");
      return [];
    }
  }

  async function deleteCopy(name: string, cleanUp: RetryContext): Promise<void> {
    try {
      await retryRequest(deps, cleanUp, "delete copy", () => deps.sdk.deleteFile(name, cleanUp.signal));
    } catch (error) {
      if (error instanceof GeminiError && isGone(error)) return;
      deps.log.warn({ jobId, file: name, err: error }, "provider copy not deleted; left for the sweep");
    }
  }

  function uriOf(file: GeminiFile): string {
    return `${deps.connection.baseUrl}/v1beta/${file.name}`;
  }
}
