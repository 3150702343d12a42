import { isJsonObject } from "@video-to-json/contract";
import { NoAnswer, type TokenCount, type TokenCounts } from "../analysis-provider.ts";

type Part = { text?: unknown; thought?: unknown };
type Candidate = { content?: { parts?: unknown }; finishReason?: unknown };
type Response = {
  candidates?: unknown;
  promptFeedback?: { blockReason?: unknown };
  usageMetadata?: { promptTokensDetails?: unknown };
};

const cutOff = new Set(["MAX_TOKENS", "CONTINUATION"]);

/**
 * Returns the text of an answer: all parts except the model's thoughts. Throws NoAnswer when the model declined,
 * stopped early, wrote nothing or did not receive the video. A part of an answer is never returned.
 */
export function readAnswer(response: unknown): string {
  const { candidates, promptFeedback, usageMetadata } = response as Response;
  const candidate = first<Candidate>(candidates);
  if (!candidate) throw new NoAnswer(`the analysis declined to answer (${reasonName(promptFeedback?.blockReason)})`);
  const reason = reasonName(candidate.finishReason);
  if (cutOff.has(reason)) throw new NoAnswer("the answer was cut off for its length; a shorter one is needed");
  if (reason !== "STOP") throw new NoAnswer(`the analysis stopped without an answer (${reason})`);
  if (hasNoVideo(usageMetadata?.promptTokensDetails)) throw new NoAnswer("the analysis did not receive the video");
  const text = textOf(candidate);
  if (text.trim() === "") throw new NoAnswer("the answer was empty");
  return text;
}

function textOf(candidate: Candidate): string {
  const parts: unknown = candidate.content?.parts;
  if (!Array.isArray(parts)) return "";
  return parts
    .filter((part: Part | null) => typeof part?.text === "string" && part.thought !== true)
    .map((part: Part) => part.text)
    .join("");
}

/** Returns whether the token counts show that the model received no video. Without counts, assumes that it did. */
function hasNoVideo(details: unknown): boolean {
  if (!Array.isArray(details) || details.length === 0) return false;
  return !details.some(
    (detail: { modality?: unknown; tokenCount?: unknown } | null) =>
      detail?.modality === "VIDEO" && Number(detail.tokenCount) > 0,
  );
}

function first<T>(list: unknown): T | null {
  return Array.isArray(list) && typeof list[0] === "object" ? list[0] : null;
}

/** Returns Gemini's name of a reason. Callers see it, so anything but a name is left out. */
function reasonName(value: unknown): string {
  return typeof value === "string" && /^[A-Z_]{1,40}$/.test(value) ? value : "no reason given";
}

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
