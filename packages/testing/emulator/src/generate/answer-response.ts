import { randomBytes } from "node:crypto";
import type { Evidence } from "../evidence/look.ts";
import type { Fault } from "../faults/faults.ts";
import { invalidArgument, refusal } from "../protocol/exchange.ts";
import { type GenerateRequest, type Part, textOf } from "./generate-request.ts";

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
  const countedPrompt = fault?.kind === "zero-video-tokens" ? { ...prompt, video: 0, audio: 0 } : prompt;
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
      return finish(fault.finishReason ?? "SAFETY", undefined, 0);
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

export type Model = { id: string /** The third generation or a later one. */; generation: "2" | "3" };

/** The models that Google gives to a new account. Others, such as `gemini-2.5-flash`, do not exist for it. */
const models: readonly Model[] = [
  { id: "gemini-2.5-pro", generation: "2" },
  ...["gemini-3.1-pro-preview", "gemini-3.1-flash-lite", "gemini-3.5-flash-lite", "gemini-3.6-flash"]
    .concat("gemini-3.7-flash", "gemini-3.8-flash", "gemini-4-argon", "gemini-4-carbon")
    .map((id) => ({ id, generation: "3" as const })),
];

/** Returns a model. Throws NOT_FOUND for an unknown id. */
export function findModel(id: string, version: string): Model {
  const found = models.find((model) => model.id === id);
  if (found) return found;
  const message = `models/${id} is not found for API version ${version}, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
  throw refusal(404, "NOT_FOUND", message);
}

const inputTokenLimit = 1_048_576;

export const outputTokenLimit = 65_536;

type PromptTokens = { text: number; video: number; audio: number };

function textTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns the tokens of a request as Gemini counts them, by frame and by second of sound. Throws above the model's limit. */
export function countTokens(
  { model, config, contents, systemText }: GenerateRequest,
  videos: readonly { part: Part; evidence: Evidence }[],
): PromptTokens {
  const isOld = model.generation === "2";
  const tokens = { text: textTokens(systemText + textOf(contents)), video: 0, audio: 0 };
  for (const { part, evidence } of videos) {
    const { fps = 1, startOffset = 0, endOffset = Number.POSITIVE_INFINITY } = part.videoMetadata ?? {};
    const seconds = Math.max(0, Math.min(evidence.durationMs / 1000, endOffset) - startOffset);
    const level = config.mediaResolution ?? "";
    const perFrame = isOld ? (/LOW/.test(level) ? 66 : 258) : /HIGH/.test(level) ? 280 : 70;
    tokens.video += Math.ceil(seconds * fps) * perFrame;
    if (evidence.hasAudio) tokens.audio += Math.ceil(seconds) * (isOld ? 32 : 25);
  }
  if (tokens.text + tokens.video + tokens.audio > inputTokenLimit)
    throw invalidArgument(`The input token count exceeds the maximum number of tokens allowed ${inputTokenLimit}.`);
  return tokens;
}
