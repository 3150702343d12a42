import { createRequire } from "node:module";

// The package has sources in place of types, and they do not compile under our settings.
const require = createRequire(import.meta.url);

/** A part of llama.cpp's binding for Node: a model in memory. */
export type LlamaModel = {
  initMultimodal(options: { path: string; use_gpu: boolean }): boolean;
  getFormattedChat(
    messages: readonly unknown[],
    template: undefined,
    options: { jinja: true; response_format?: unknown },
  ): { prompt: string; grammar: string; media_paths?: string[] };
  tokenize(
    prompt: string,
    options: { media_paths: readonly string[] },
  ): Promise<{ tokens: Int32Array; bitmap_hashes: string[] }>;
  completion(
    options: {
      messages?: readonly unknown[];
      prompt?: string;
      grammar?: string;
      n_predict: number;
      temperature: number;
      response_format?: unknown;
    },
    onToken?: (token: { token: string; content?: string }) => void,
  ): Promise<{ text: string; content?: string; tokens_predicted: number; stopped_eos: boolean }>;
  stopCompletion(): void;
  release(): Promise<void>;
};

/** Loads a model. Throws when the native module does not load, or llama.cpp does not read the file. */
export async function loadModel(path: string, contextTokens: number): Promise<LlamaModel> {
  const binding = require("@fugood/llama.node") as { loadModel(options: object): Promise<LlamaModel> };
  return binding.loadModel({
    ...{ model: path, n_ctx: contextTokens, n_batch: 512, n_parallel: 1, n_threads: 1, n_gpu_layers: 0 },
    // As llama-server: what does not fit is refused.
    ...{ flash_attn_type: "off", ctx_shift: false },
  });
}

/** Why no native module is published for this platform; undefined if one is. */
export const noPrebuilt = ((): string | undefined => {
  const { platform, arch } = process;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const isPublished = ["darwin", "linux", "win32"].includes(platform) && ["x64", "arm64"].includes(arch);
  if (isPublished && (platform !== "linux" || header.glibcVersionRuntime)) return undefined;
  return `@fugood/llama.node is not published for ${platform}-${arch} with this C library.`;
})();
