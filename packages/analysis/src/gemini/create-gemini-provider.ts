import { type Clock, systemClock } from "@video-to-json/runtime/timing";
import { LRUCache } from "lru-cache";
import type { OperatedProvider, ProviderCapabilities, ProviderObserver } from "../analysis-provider.ts";
import type { Prices } from "../prices.ts";
import { type Access, openAccess } from "./access.ts";
import { ask, type ModelOptions, type Spending, type UsageLimits } from "./ask.ts";
import { geminiCapabilities } from "./capabilities.ts";
import { checkProvider } from "./check-provider.ts";
import { type Connection, openConnection, type ProxySettings } from "./connection.ts";
import { deleteCopies } from "./copies.ts";
import type { GeminiError } from "./gemini-error.ts";
import { type Models, openModelPool } from "./model-pool.ts";
import { type CopyDeps, createProviderCopy, openInlineRoom } from "./provider-copy.ts";
import { providerUnavailable } from "./refusal.ts";
import type { RetryDeps } from "./retry-request.ts";
import { openSdk, type Sdk } from "./sdk.ts";
import { cancelRecordedUploads } from "./upload-records.ts";
import { uploadVideo } from "./upload-video.ts";

export type GeminiOptions = {
  apiKey: string;
  /** May have a path. */
  baseUrl: string;
  /** Further headers of each request. Logs never hold them. */
  headers?: Readonly<Record<string, string>>;
  /** For a `baseUrl` with https. */
  proxy?: ProxySettings;
  /** The models of the first questions, and of the escalation. Each next one answers if the one before cannot. */
  models: Models;
  /** Videos of up to this size go inside their questions, others as files; 0 if not given: all go as files. */
  maxInlineBytes?: number;
  /** Prices that replace those of the table. */
  prices?: Prices;
  /** What the operator allows a day. When nothing is left, no job starts. */
  spending?: Spending;
  /** What each model may take. A question beyond that goes to the next model, or waits. */
  limits?: UsageLimits;
  modelOptions?: ModelOptions;
  /** Whether jobs start with a key of the unpaid tier, whose videos Google may use. */
  allowFreeTier?: boolean;
  /** Called after every 429 with the pause until the next request, in milliseconds. */
  onRateLimited?(delayMs: number): void;
  log: RetryDeps["log"];
  /** Receives the requests and their results, for metrics. */
  observer?: ProviderObserver;
  /** Tests replace it. `now` returns the time of `steadyNow`. */
  clock?: Clock;
};

const maxDeleteCopiesMs = 120_000;
const retryAfterMs = 60_000;
/** The day may end before, or last much longer. */
const spentRetryMs = 900_000;
const spentWarning = "What the operator allows a day (PROVIDER_DOLLARS_PER_DAY) is spent.";
const refusedSchemaMs = 600_000;
const freeTierWarning =
  "The key belongs to the unpaid tier of Gemini: Google may use the videos and people there may see them. Jobs start only with a key of a paid project (docs/data-at-the-provider.md) or with ALLOW_FREE_TIER=on";

/** The service of Google that a provider asks. */
export type GoogleService = {
  readonly connection: Connection;
  readonly sdk: Sdk;
  readonly capabilities: ProviderCapabilities;
  readonly upload: CopyDeps["upload"];
  /** Whether videos can go as files. */
  readonly hasFiles: boolean;
  /** Throws with words for the operator if the place of the files is not as it has to be. */
  checkFiles?(signal: AbortSignal): Promise<void>;
  cancelUploads(directory: string, signal: AbortSignal): Promise<void>;
};

/** What a service is opened with. */
export type ServiceDeps = RetryDeps & {
  readonly observer: ProviderObserver | undefined;
  readonly access: Access;
  onError(error: GeminiError): void;
};

/**
 * Creates the provider for Google's Gemini API (Files and generateContent, v1beta). Close it to end its connections.
 * Throws when the key cannot be sent in a header, or when `baseUrl` is not a URL.
 */
export function createGeminiProvider(options: GeminiOptions): OperatedProvider {
  const { apiKey, baseUrl, headers, proxy } = options;
  return createGoogleProvider(options, (given) => {
    const connection = openConnection({ ...given, apiKey, baseUrl, headers, proxy });
    const deps = { ...given, connection, sdk: openSdk(connection) };
    return {
      ...deps,
      capabilities: geminiCapabilities,
      hasFiles: true,
      upload: (...request) => uploadVideo(deps, ...request),
      cancelUploads: (directory, signal) => cancelRecordedUploads(deps, directory, signal),
    };
  });
}

/** Creates the provider for a service of Google that answers questions as Gemini does. */
export function createGoogleProvider(
  options: Omit<GeminiOptions, "apiKey" | "baseUrl" | "headers" | "proxy">,
  openService: (given: ServiceDeps) => GoogleService,
): OperatedProvider {
  const {
    models,
    maxInlineBytes = 0,
    prices = {},
    spending,
    limits,
    modelOptions = { thinkingLevels: {}, clipResolutions: {} },
    allowFreeTier = false,
    onRateLimited = () => {},
    log,
    observer,
    clock = systemClock,
  } = options;
  const access = openAccess(log);
  let isFreeTier = false;
  const service = openService({
    ...{ clock, log, onRateLimited, observer, access },
    onError(error) {
      if (!error.isFreeTier || isFreeTier) return;
      isFreeTier = true;
      observer?.onFreeTier();
      log.error({ providerError: error.message, allowFreeTier }, freeTierWarning);
    },
  });
  const { connection, sdk, upload, capabilities } = service;
  const deps = { connection, sdk, upload, clock, log, onRateLimited, observer };
  const inline = openInlineRoom(maxInlineBytes);
  const pool = openModelPool(models, clock.now);
  const refusedSchemas = new LRUCache<string, true>({ max: 1000, ttl: refusedSchemaMs });
  return {
    capabilities,
    address: connection.baseUrl,
    async withVideo(video, { signal, deadline }, use) {
      if (isFreeTier && !allowFreeTier) throw providerUnavailable(new Error(freeTierWarning), retryAfterMs);
      if (spending && spending.share() >= 1) throw providerUnavailable(new Error(spentWarning), spentRetryMs);
      const context = { jobId: video.jobId, signal, deadline };
      const copy = createProviderCopy({ ...deps, inline }, video, context);
      const state = { isOver: false, isCutOff: false };
      try {
        await copy.ready();
        return await use((question, run = context) =>
          ask(
            { ...deps, copy, pool, refusedSchemas, state, prices, spending, limits, modelOptions, video },
            { ...context, ...run },
            question,
          ),
        );
      } finally {
        await copy.discard();
      }
    },
    deleteCopies(findFinished, signal) {
      const deadline = new Date(clock.now() + maxDeleteCopiesMs);
      return deleteCopies(deps, findFinished, { jobId: null, signal, deadline });
    },
    cancelUploads: (directory, signal) => service.cancelUploads(directory, signal),
    reach: () => connection.reach(),
    async access() {
      const refusal = access.refusal();
      if (refusal !== undefined) throw new Error(refusal);
    },
    check: (directory) =>
      checkProvider({ ...deps, ...service, models: [...new Set(Object.values(models).flat())] }, directory),
    close: () => connection.close(),
  };
}
