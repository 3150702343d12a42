import { isJsonObject } from "@video-to-json/contract";
import type { TokenCount } from "../../analysis-provider.ts";

/** Returns the tokens of a response with those of its question, or null when Gemini does not count them. */
export function readTokenCount(response: unknown): TokenCount | null {
  const usage = isJsonObject(response) ? response.usageMetadata : undefined;
  if (!isJsonObject(usage) || typeof usage.totalTokenCount !== "number") return null;
  const details: unknown = usage.promptTokensDetails;
  const of = (modality: string) => {
    const found = Array.isArray(details) ? details.filter((detail) => detail?.modality === modality) : [];
    return found.reduce((sum, { tokenCount }) => sum + (Number(tokenCount) || 0), 0);
  };
  return { total: usage.totalTokenCount, video: of("VIDEO"), audio: of("AUDIO") };
}
