import { UnmetAnswer } from "../../analysis-provider.ts";

type Part = { text?: unknown; thought?: unknown };
type Candidate = { content?: { parts?: unknown }; finishReason?: unknown };
type Response = {
  candidates?: unknown;
  promptFeedback?: { blockReason?: unknown };
  usageMetadata?: { promptTokensDetails?: unknown };
};

const cutOff = new Set(["MAX_TOKENS", "CONTINUATION"]);

/**
 * The answer's text: all parts but the model's thoughts. Throws UnmetAnswer when it was declined, cut off or empty, or
 * given by a model that received none of the video. A part of an answer is never an answer.
 */
export function readAnswer(response: unknown): string {
  const { candidates, promptFeedback, usageMetadata } = response as Response;
  const candidate = first<Candidate>(candidates);
  if (!candidate) throw new UnmetAnswer(`the analysis declined to answer (${word(promptFeedback?.blockReason)})`);
  const reason = word(candidate.finishReason);
  if (cutOff.has(reason)) throw new UnmetAnswer("the answer was cut off for its length; a shorter one is needed");
  if (reason !== "STOP") throw new UnmetAnswer(`the analysis stopped without an answer (${reason})`);
  if (sawNoVideo(usageMetadata?.promptTokensDetails)) throw new UnmetAnswer("the video was not seen by the analysis");
  const text = textOf(candidate);
  if (text.trim() === "") throw new UnmetAnswer("the answer was empty");
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

/** Where nothing is told of the tokens, nothing can be said. */
function sawNoVideo(details: unknown): boolean {
  if (!Array.isArray(details) || details.length === 0) return false;
  return !details.some(
    (detail: { modality?: unknown; tokenCount?: unknown } | null) =>
      detail?.modality === "VIDEO" && Number(detail.tokenCount) > 0,
  );
}

function first<T>(list: unknown): T | null {
  return Array.isArray(list) && typeof list[0] === "object" ? list[0] : null;
}

/** The service's own word, as long as it is one: it is shown to callers. */
function word(value: unknown): string {
  return typeof value === "string" && /^[A-Z_]{1,40}$/.test(value) ? value : "no reason given";
}
