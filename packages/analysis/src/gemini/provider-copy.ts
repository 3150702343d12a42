import type { VideoFile } from "../analysis-provider.ts";
import { displayNameOf, type GeminiFile, listCopies, readGeminiFile } from "./copies.ts";
import { GeminiError } from "./gemini-error.ts";
import { causeOfFailure, isGone, providerUnavailable, unreadableByProvider } from "./refusal.ts";
import { type RetryContext, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";
import { type UploadDeps, type UploadedCopies, uploadVideo } from "./upload-video.ts";

/** Gemini's copy of one video during one job. */
export type ProviderCopy = {
  /**
   * Uploads the video if there is no copy, and waits until Gemini has processed it. Throws Problem or the reason of
   * the signal.
   */
  ready(): Promise<{ name: string; uri: string; mimeType: string }>;
  /** To be called when Gemini says that the copy does not exist. */
  markGone(): void;
  /** To be called when Gemini says that the copy is not processed yet. */
  markNotReady(): void;
  /** Deletes every copy that this job made or may have made. Never throws; the log names the copies that stay. */
  discard(): Promise<void>;
};

export type CopyDeps = UploadDeps & { readonly sdk: Pick<Sdk, "getFile" | "deleteFile" | "listFiles"> };

const maxUploads = 3;
const minPollMs = 250;
const maxPollMs = 2_000;
const maxDiscardMs = 10_000;
// Listing must not use up the time of the deletions.
const maxListSilenceMs = 3_000;
const retryAfterMs = 30_000;

/** Creates the copy of one video. It sends no request before `ready`. */
export function createProviderCopy(deps: CopyDeps, video: VideoFile, context: RetryContext): ProviderCopy {
  const { jobId } = video;
  const uploaded: UploadedCopies = { names: new Set(), unnamed: 0 };
  let current: { file: GeminiFile; isActive: boolean } | null = null;
  let uploads = 0;
  let failures = 0;

  return {
    async ready() {
      for (;;) {
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
        if (outcome.kind === "failed") await handleFailure(outcome.error);
      }
    },
    markGone() {
      current = null;
    },
    markNotReady() {
      if (current) current.isActive = false;
    },
    async discard() {
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

  async function upload() {
    if (uploads >= maxUploads) throw providerUnavailable(new Error("Every copy vanished."), retryAfterMs);
    uploads++;
    const startedAt = deps.clock.now();
    const file = await uploadVideo(deps, video, context, uploaded);
    deps.log.info({ jobId, file: file.name, ms: deps.clock.now() - startedAt }, "video uploaded");
    return { file, isActive: file.state === "ACTIVE" };
  }

  async function waitUntilProcessed(file: GeminiFile) {
    for (let pauseMs = minPollMs; ; pauseMs = Math.min(maxPollMs, pauseMs * 1.5)) {
      const seen = await getFile(file.name);
      if (seen === "gone") return { kind: "gone" } as const;
      if (seen.state === "ACTIVE") return { kind: "active" } as const;
      if (seen.state === "FAILED") return { kind: "failed", error: seen.error } as const;
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
