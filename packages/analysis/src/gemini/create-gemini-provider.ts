import { setTimeout } from "node:timers/promises";
import type { AnalysisProvider } from "../analysis-provider.ts";
import { deleteCopies } from "./copies/delete-copies.ts";
import { createRemoteCopy } from "./copies/remote-copy.ts";
import { askAbout } from "./questions/ask.ts";
import { cancelNotedUploads } from "./upload/upload-notes.ts";
import { openConnection } from "./wire/connection.ts";
import type { Clock, Patience } from "./wire/patience.ts";
import { openSdk } from "./wire/sdk.ts";

/** Where the service is, how it is entered, and which models answer. `clock` stands in for time in tests. */
export type GeminiOptions = {
  apiKey: string;
  baseUrl: string;
  smallModel: string;
  largeModel: string;
  /** Hears of every 429: how long, in milliseconds, the service wants to be left alone. */
  onRateLimited?(delayMs: number): void;
  log: Patience["log"];
  clock?: Clock;
};

/** The one adapter of the port. */
export type Gemini = AnalysisProvider & {
  /**
   * Deletes the copies at the service whose job is over: lists files, reads the job id (a UUID) out of the display name,
   * asks `isOver` which of them are. Gives how many it deleted. Throws Problem `provider_unavailable` when the list
   * cannot be had, and the reason of `signal`.
   */
  deleteCopies(isOver: (jobIds: string[]) => Promise<ReadonlySet<string>>, signal: AbortSignal): Promise<number>;
  /**
   * Cancels the uploads that a run could not end, by the notes in its folder (`VideoFile.uploadNotes`); the notes of those
   * that may still be open stay there. Throws the reason of `signal`.
   */
  cancelUploads(uploadNotes: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

const sweepMs = 120_000;

/**
 * Opens Google's Gemini API (Files and generateContent, v1beta) at `baseUrl`, which may carry a path. Throws when the
 * key cannot be a header or the URL is none.
 */
export function createGeminiProvider(options: GeminiOptions): Gemini {
  const connection = openConnection(options);
  const sdk = openSdk(connection);
  const patience: Patience = {
    clock: options.clock ?? systemClock,
    log: options.log,
    onRateLimited: (delayMs) => options.onRateLimited?.(delayMs),
  };
  const models = { small: options.smallModel, large: options.largeModel };
  return {
    async withVideo(video, { signal, deadline }, use) {
      const run = { jobId: video.jobId, signal, deadline };
      const copy = createRemoteCopy({ connection, sdk, patience }, video, run);
      const unconstrained = new Set<string>();
      try {
        await copy.ready();
        return await use((question) => askAbout({ sdk, patience, copy, models, unconstrained }, run, question));
      } finally {
        await copy.discard();
      }
    },
    deleteCopies(isOver, signal) {
      const deadline = new Date(patience.clock.now() + sweepMs);
      return deleteCopies({ sdk, patience }, isOver, { jobId: null, signal, deadline });
    },
    cancelUploads: (uploadNotes, signal) => cancelNotedUploads({ connection, patience }, uploadNotes, signal),
    close: () => connection.close(),
  };
}

const systemClock: Clock = {
  now: Date.now,
  async wait(ms, signal) {
    await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  },
};
