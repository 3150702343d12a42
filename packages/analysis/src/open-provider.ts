import type { providerSettings, Settings } from "@video-to-json/runtime/settings";
import type { OperatedProvider } from "./analysis-provider.ts";
import { createGeminiProvider, type GeminiOptions } from "./gemini/create-gemini-provider.ts";

/** The settings of all providers. */
type ProviderSettings = Settings<(typeof providerSettings)[number]>;

/** What a process gives its provider: the log, and, in a worker, what counts and bounds its questions. */
type ProviderHooks = Pick<GeminiOptions, "log" | "observer" | "onRateLimited" | "spending" | "limits">;

/** Creates the provider of the settings. Close it to end its connections. Throws when a key cannot be sent in a header. */
export function openProvider(settings: ProviderSettings, hooks: ProviderHooks): OperatedProvider {
  return createGeminiProvider({
    ...hooks,
    apiKey: settings.GEMINI_API_KEY,
    baseUrl: settings.GEMINI_BASE_URL,
    headers: settings.GEMINI_HEADERS,
    proxy: { url: settings.HTTPS_PROXY, except: settings.NO_PROXY },
    models: { small: settings.GEMINI_MODEL, large: settings.GEMINI_MODEL_LARGE },
    allowFreeTier: settings.ALLOW_FREE_TIER === "on",
    maxInlineBytes: settings.GEMINI_MAX_INLINE_BYTES,
    prices: settings.GEMINI_USD_PER_MILLION,
    modelOptions: { thinkingLevels: settings.GEMINI_THINKING_LEVEL, clipResolutions: settings.GEMINI_CLIP_RESOLUTION },
  });
}
