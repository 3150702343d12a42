import { randomBytes } from "node:crypto";
import type { Fault } from "../faults/fault.ts";
import { type Model, outputTokenLimit, type PromptTokens, textTokens } from "./models.ts";

/** The question, the model's answer and the fault to apply to the response. */
export type Outcome = {
  model: Model;
  prompt: PromptTokens;
  text: string;
  maxOutputTokens: number | undefined;
  includeThoughts: boolean;
  fault: Fault | undefined;
};

type Candidate = { content: { role: string; parts?: object[] }; finishReason: string; index: number };

/** Returns the GenerateContentResponse, changed by the fault. */
export function answerResponse(outcome: Outcome): Record<string, unknown> {
  const { model, prompt, fault } = outcome;
  const base = { modelVersion: model.id, responseId: randomBytes(12).toString("base64url") };
  if (fault?.kind === "blocked") {
    const usageMetadata = usage(prompt, 0, 0);
    return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata, ...base };
  }
  const { candidate, answerTokens, thoughtTokens } = writeCandidate(outcome);
  const countedPrompt = fault?.kind === "zero-video-tokens" ? { ...prompt, video: 0 } : prompt;
  return { candidates: [candidate], usageMetadata: usage(countedPrompt, answerTokens, thoughtTokens), ...base };
}

const thinking = 'Looking at the video from start to end: {"draft": true} is not yet the answer.';

function writeCandidate({ text, fault, maxOutputTokens, includeThoughts }: Outcome) {
  const thoughts = fault?.kind === "thoughts" || includeThoughts ? [{ text: thinking, thought: true }] : [];
  const thoughtTokens = textTokens(thinking);
  const finish = (finishReason: string, parts: object[] | undefined, answerTokens: number) => ({
    candidate: { content: { ...(parts ? { parts } : {}), role: "model" }, finishReason, index: 0 } satisfies Candidate,
    answerTokens,
    thoughtTokens,
  });
  const tokensLeft = (maxOutputTokens ?? outputTokenLimit) - thoughtTokens;
  switch (fault?.kind) {
    case "safety":
      return finish("SAFETY", undefined, 0);
    case "no-parts":
      return finish("STOP", undefined, 0);
    case "empty":
      return finish("STOP", [{ text: "" }], 0);
    case "max-tokens":
      return finish("MAX_TOKENS", [{ text: text.slice(0, Math.floor(text.length / 2)) }], textTokens(text) >> 1);
    case "malformed-json":
      return finish("STOP", [{ text: `${text.slice(0, -1)},, }` }], textTokens(text));
    default:
      // Thinking uses the output tokens too: under a small limit no answer is left.
      if (tokensLeft <= 0) return finish("MAX_TOKENS", undefined, 0);
      if (textTokens(text) > tokensLeft) {
        return finish("MAX_TOKENS", [{ text: text.slice(0, tokensLeft * 4) }], tokensLeft);
      }
      return finish("STOP", [...thoughts, ...splitIntoParts(text)], textTokens(text));
  }
}

/** Splits an answer into parts, as Gemini does at any position. */
function splitIntoParts(text: string): object[] {
  const middle = Math.ceil(text.length / 2);
  const parts = [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
  return parts.map((part, index) => {
    const signature = { thoughtSignature: Buffer.from("emulated").toString("base64") };
    return { text: part, ...(index === parts.length - 1 ? signature : {}) };
  });
}

function usage({ text, video, audio }: PromptTokens, answerTokens: number, thoughtTokens: number): object {
  const details = [
    { modality: "TEXT", tokenCount: text },
    { modality: "VIDEO", tokenCount: video },
    { modality: "AUDIO", tokenCount: audio },
  ];
  const promptTokenCount = text + video + audio;
  return {
    promptTokenCount,
    ...(answerTokens > 0 ? { candidatesTokenCount: answerTokens } : {}),
    thoughtsTokenCount: thoughtTokens,
    totalTokenCount: promptTokenCount + answerTokens + thoughtTokens,
    promptTokensDetails: details.filter(({ tokenCount }) => tokenCount > 0),
  };
}
