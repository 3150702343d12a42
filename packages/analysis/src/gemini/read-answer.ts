import { isJsonObject } from "@video-to-json/contract";
import { NoAnswer, type TokenCounts } from "../analysis-provider.ts";

type Part = { text?: unknown; thought?: unknown };
type Candidate = { content?: { parts?: unknown }; finishReason?: unknown };
type Response = {
  candidates?: unknown;
  promptFeedback?: { blockReason?: unknown };
  usageMetadata?: Usage;
  modelVersion?: unknown;
};
type Usage = { promptTokenCount?: unknown; promptTokensDetails?: unknown };

const cutOff = new Set(["MAX_TOKENS", "CONTINUATION"]);

/**
 * Returns the text of an answer: all parts except the model's thoughts. Throws NoAnswer when the model declined,
 * stopped early, wrote nothing or did not receive the video of this length. A part of an answer is never returned.
 */
export function readAnswer(response: unknown, durationMs: number): string {
  const { candidates, promptFeedback, usageMetadata } = response as Response;
  const candidate = first<Candidate>(candidates);
  if (!candidate) throw new NoAnswer(`the analysis declined to answer (${reasonName(promptFeedback?.blockReason)})`);
  const reason = reasonName(candidate.finishReason);
  if (isCutOff(response))
    throw new NoAnswer("the answer was cut off for its length; a shorter one is needed", textOf(candidate));
  if (reason !== "STOP") throw new NoAnswer(`the analysis stopped without an answer (${reason})`);
  if (hasNoVideo(usageMetadata, durationMs)) throw new NoAnswer("the analysis did not receive the video");
  const text = textOf(candidate);
  if (text.trim() === "") throw new NoAnswer("the answer was empty");
  return text;
}

/** Returns whether the model stopped at its limit of tokens. */
export function isCutOff(response: unknown): boolean {
  return cutOff.has(reasonName(first<Candidate>((response as Response).candidates)?.finishReason));
}

function textOf(candidate: Candidate): string {
  const parts: unknown = candidate.content?.parts;
  if (!Array.isArray(parts)) return "";
  return parts
    .filter((part: Part | null) => typeof part?.text === "string" && part.thought !== true)
    .map((part: Part) => part.text)
    .join("");
}

/** Every picture and its second of sound count more than this, also with half a picture a second in the lowest resolution. */
const minTokensPerSecond = 30;
/** The provider may round the length, and the last picture may be missing. */
const slackSeconds = 2;

/** Returns whether the token counts show that the model received no video. Without counts, assumes that it did. */
function hasNoVideo(usage: Usage | undefined, durationMs: number): boolean {
  const total = usage?.promptTokenCount;
  if (typeof total !== "number") return false;
  const seconds = Math.max(1, Math.floor(durationMs / 1000) - slackSeconds);
  return total - countOf(usage, "TEXT") < minTokensPerSecond * seconds;
}

/** Returns the tokens of the question in this modality. */
function countOf(usage: Usage | undefined, modality: string): number {
  const details: unknown = usage?.promptTokensDetails;
  const found = Array.isArray(details) ? details.filter((detail) => detail?.modality === modality) : [];
  return found.reduce((sum, { tokenCount }) => sum + (Number(tokenCount) || 0), 0);
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
    cached: count("cachedContentTokenCount"),
  };
}

/** The tokens of a response with those of its question; `video` and `audio`: of the question. */
type CountedTokens = { total: number; video: number; audio: number | null };

/** Returns the tokens of a response with those of its question, or null when Gemini does not count them. */
export function readTokenCount(response: unknown): CountedTokens | null {
  const usage = isJsonObject(response) ? response.usageMetadata : undefined;
  if (!isJsonObject(usage) || typeof usage.totalTokenCount !== "number") return null;
  const details: unknown = usage.promptTokensDetails;
  const audio = Array.isArray(details) && details.length > 0 ? countOf(usage, "AUDIO") : null;
  return { total: usage.totalTokenCount, video: countOf(usage, "VIDEO"), audio };
}

/** Returns the id of the model that answered, which may be another one than the asked one; null if the reply names none. */
export function modelOf(response: unknown): string | null {
  const { modelVersion } = response as Response;
  return typeof modelVersion === "string" && /^[\w.-]{1,100}$/.test(modelVersion) ? modelVersion : null;
}
