import type { ProviderObserver } from "@video-to-json/analysis";
import { statusLabel, type Tracing, type WorkerMetrics } from "@video-to-json/runtime/telemetry";

type Metrics = Pick<
  WorkerMetrics,
  | "providerRequests"
  | "providerSeconds"
  | "providerRetries"
  | "providerFreeTier"
  | "providerFiles"
  | "modelFallbacks"
  | "soundMissing"
  | "modelTokens"
  | "modelCost"
>;

/** Returns the counters of requests to the provider, retries, tokens, and the price of the tokens; requests are spans too. */
export function observeProvider(
  metrics: Metrics,
  tracing: Pick<Tracing, "past">,
  onSilence: () => void,
): ProviderObserver {
  return {
    onRequest(request, status, ms) {
      metrics.providerRequests.inc({ request, status: statusLabel(status) });
      metrics.providerSeconds.observe({ request }, ms / 1000);
      const failure = status === null || status >= 400 ? statusLabel(status) : undefined;
      tracing.past(`provider ${request}`, ms, { "http.response.status_code": status ?? undefined }, failure);
    },
    onFiles: (bytes) => metrics.providerFiles.set(bytes),
    onFallback: (model) => metrics.modelFallbacks.inc({ model }),
    onSoundMissing: () => metrics.soundMissing.inc(),
    onFreeTier: () => metrics.providerFreeTier.set(1),
    onRetry(status) {
      metrics.providerRetries.inc({ status: statusLabel(status) });
      if (status === null) onSilence();
    },
    onTokens(model, tokens, { dollars, check = "answer" }) {
      for (const [kind, count] of Object.entries(tokens)) metrics.modelTokens.inc({ model, kind }, count);
      metrics.modelCost.inc({ model, purpose: check }, dollars);
    },
  };
}
