import type { Question } from "./analysis-provider.ts";

/** The kinds of requests to a provider. */
export type ProviderRequest = "generate" | "upload" | "get" | "list" | "delete";

/** The tokens that a provider counted for one question. */
export type TokenCounts = { input: number; output: number; thinking: number };

/** Receives the requests to a provider and their results, for metrics. Must not throw. */
export type ProviderObserver = {
  /** A request has ended. `status` is its HTTP status; null without a complete reply. */
  onRequest(request: ProviderRequest, status: number | null, ms: number): void;
  /** A request failed with this status and is sent again. */
  onRetry(status: number | null): void;
  /** The provider has counted the tokens of a question that it charges for. */
  onTokens(model: Question["model"], tokens: TokenCounts): void;
};
