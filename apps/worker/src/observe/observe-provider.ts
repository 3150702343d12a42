import type { ProviderObserver, TokenCounts } from "@video-to-json/analysis";
import { statusLabel, type WorkerMetrics } from "@video-to-json/runtime/telemetry";

type ModelPrices = { input: number; output: number };

/** The price of a million tokens in US dollars, by model. 0: no estimate. */
export type Prices = Readonly<Record<"small" | "large", ModelPrices>>;

type Metrics = Pick<
  WorkerMetrics,
  | "providerRequests"
  | "providerSeconds"
  | "providerRetries"
  | "providerFreeTier"
  | "modelFallbacks"
  | "soundMissing"
  | "modelTokens"
  | "modelCost"
>;

/** Returns the counters of requests to the provider, retries, tokens, and the price of the tokens. */
export function observeProvider(metrics: Metrics, prices: Prices): ProviderObserver {
  return {
    onRequest(request, status, ms) {
      metrics.providerRequests.inc({ request, status: statusLabel(status) });
      metrics.providerSeconds.observe({ request }, ms / 1000);
    },
    onFallback: (model) => metrics.modelFallbacks.inc({ model }),
    onSoundMissing: () => metrics.soundMissing.inc(),
    onFreeTier: () => metrics.providerFreeTier.set(1),
    onRetry: (status) => metrics.providerRetries.inc({ status: statusLabel(status) }),
    onTokens(model, tokens) {
      for (const [kind, count] of Object.entries(tokens)) metrics.modelTokens.inc({ model, kind }, count);
      metrics.modelCost.inc({ model }, costOf(tokens, prices[model]));
    },
  };
}

/** Thinking costs as much as output. */
function costOf({ input, output, thinking }: TokenCounts, price: ModelPrices): number {
  return (input * price.input + (output + thinking) * price.output) / 1_000_000;
}
