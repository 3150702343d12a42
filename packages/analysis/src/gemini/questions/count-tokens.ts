import type { TokenCounts } from "../../provider-observer.ts";

/** Reads the token counts of a response. A missing count is 0. Gemini charges thinking as output. */
export function countTokens(response: unknown): TokenCounts {
  const { usageMetadata } = (response ?? {}) as { usageMetadata?: Record<string, unknown> };
  const count = (name: string) => {
    const value = usageMetadata?.[name];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
  };
  return {
    input: count("promptTokenCount"),
    output: count("candidatesTokenCount"),
    thinking: count("thoughtsTokenCount"),
  };
}
