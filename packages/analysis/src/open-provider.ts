import type { providerSettings, Settings } from "@video-to-json/runtime/settings";
import type { OperatedProvider } from "./analysis-provider.ts";
import { createChatProvider } from "./chat/create-chat-provider.ts";
import { createGeminiProvider, type GeminiOptions } from "./gemini/create-gemini-provider.ts";
import { createVertexProvider } from "./vertex/create-vertex-provider.ts";

/** The settings of all providers. */
type ProviderSettings = Settings<(typeof providerSettings)[number]>;

/** What a process gives its provider: the log, and, in a worker, what counts and bounds its questions. */
type ProviderHooks = Pick<GeminiOptions, "log" | "observer" | "onRateLimited" | "spending" | "limits">;

/**
 * Creates the provider of the settings, and the one that takes over from it, if there is one. The first one also deletes the
 * copies of the second one, counts as reachable while one of them is, and closes both. Close it to end the connections. Throws
 * when a key or an address cannot be used.
 */
export function openProviders(
  settings: ProviderSettings,
  hooks: ProviderHooks,
): { provider: OperatedProvider; fallback: OperatedProvider | undefined } {
  const first = openers[settings.PROVIDER](settings, hooks);
  const { PROVIDER_FALLBACK } = settings;
  if (PROVIDER_FALLBACK === undefined || PROVIDER_FALLBACK === settings.PROVIDER)
    return { provider: first, fallback: undefined };
  const fallback = openers[PROVIDER_FALLBACK](settings, hooks);
  const both = [first, fallback];
  const provider: OperatedProvider = {
    ...first,
    async deleteCopies(...request) {
      const counts = await Promise.allSettled(both.map((each) => each.deleteCopies(...request)));
      return counts.reduce((sum, result) => {
        if (result.status === "rejected") throw result.reason;
        return sum + result.value;
      }, 0);
    },
    async cancelUploads(...request) {
      for (const each of both) await each.cancelUploads(...request);
    },
    reach: () => Promise.any(both.map((each) => each.reach())),
    access: () => Promise.all(both.map((each) => each.access())).then(() => {}),
    check: async (directory) => (await Promise.all(both.map((each) => each.check(directory)))).flat(),
    close: () => Promise.all(both.map((each) => each.close())).then(() => {}),
  };
  return { provider, fallback };
}

const openers: Record<
  ProviderSettings["PROVIDER"],
  (settings: ProviderSettings, hooks: ProviderHooks) => OperatedProvider
> = {
  gemini: (settings, hooks) =>
    createGeminiProvider({
      ...hooks,
      ...geminiModels(settings),
      apiKey: settings.GEMINI_API_KEY ?? "",
      baseUrl: settings.GEMINI_BASE_URL,
      headers: settings.GEMINI_HEADERS,
      allowFreeTier: settings.ALLOW_FREE_TIER === "on",
    }),
  vertex: (settings, hooks) =>
    createVertexProvider({
      ...hooks,
      ...geminiModels(settings),
      project: settings.VERTEX_PROJECT ?? "",
      location: settings.VERTEX_LOCATION ?? "",
      bucket: settings.VERTEX_BUCKET,
      keyFile: settings.VERTEX_CREDENTIALS,
      baseUrl: settings.VERTEX_BASE_URL,
      storageUrl: settings.VERTEX_STORAGE_URL,
    }),
  chat: (settings, hooks) => {
    const { CHAT_BASE_URL: baseUrl = "", CHAT_MODEL: small = "" } = settings;
    return createChatProvider({
      ...hooks,
      baseUrl,
      apiKey: settings.CHAT_API_KEY,
      proxy: proxyOf(settings),
      models: { small, large: settings.CHAT_MODEL_LARGE ?? small, clips: settings.CHAT_MODEL_CLIPS ?? small },
      videoForm: settings.CHAT_VIDEO,
      timeText: settings.CHAT_TIME_TEXT,
      contextTokens: settings.CHAT_CONTEXT_TOKENS,
      extraBody: settings.CHAT_EXTRA_BODY,
      price: settings.CHAT_USD_PER_MILLION ?? ownMachine,
    });
  },
};

function geminiModels(settings: ProviderSettings) {
  return {
    proxy: proxyOf(settings),
    models: { small: settings.GEMINI_MODEL, large: settings.GEMINI_MODEL_LARGE },
    maxInlineBytes: settings.GEMINI_MAX_INLINE_BYTES,
    prices: settings.GEMINI_USD_PER_MILLION,
    modelOptions: {
      thinkingLevels: settings.GEMINI_THINKING_LEVEL,
      clipResolutions: settings.GEMINI_CLIP_RESOLUTION,
    },
  };
}

/** About what a small model costs where it is rented. */
const ownMachine = { input: 0.1, output: 0.4, cached: 0.1 };

function proxyOf({ HTTPS_PROXY, NO_PROXY }: ProviderSettings) {
  return { url: HTTPS_PROXY, except: NO_PROXY };
}
