import { randomBytes } from "node:crypto";
import type { Fault } from "../faults/fault.ts";
import { type Model, mostOutputTokens } from "./models.ts";

/** Tokens of the prompt by modality. */
export type PromptTokens = { text: number; video: number; audio: number };

/** What was asked and what the model would say. */
export type Outcome = {
  model: Model;
  prompt: PromptTokens;
  text: string;
  maxOutputTokens: number | undefined;
  includeThoughts: boolean;
  fault: Fault | undefined;
};

type Candidate = { content: { role: string; parts?: object[] }; finishReason: string; index: number };

/** A GenerateContentResponse, with the fault acted out that strikes it. */
export function answerResponse(outcome: Outcome): Record<string, unknown> {
  const { model, prompt, fault } = outcome;
  const base = { modelVersion: model.id, responseId: randomBytes(12).toString("base64url") };
  if (fault?.kind === "blocked") {
    const usageMetadata = usage(prompt, 0, 0);
    return { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata, ...base };
  }
  const { candidate, answerTokens, thoughtTokens } = writeCandidate(outcome);
  const seen = fault?.kind === "zero-video-tokens" ? { ...prompt, video: 0 } : prompt;
  return { candidates: [candidate], usageMetadata: usage(seen, answerTokens, thoughtTokens), ...base };
}

/** The same response as a stream sends it: its parts one by one, the end and the usage with the last. */
export function streamedResponses(response: Record<string, unknown>): Record<string, unknown>[] {
  const [candidate] = (response.candidates ?? []) as Candidate[];
  const parts = candidate?.content.parts ?? [];
  if (!candidate || parts.length < 2) return [response];
  return parts.map((part, index) => {
    const last = index === parts.length - 1;
    const content = { ...candidate.content, parts: [part] };
    const { finishReason, ...unfinished } = candidate;
    return { ...response, candidates: [{ ...unfinished, content, ...(last ? { finishReason } : {}) }] };
  });
}

/** Tokens of a text, at four characters a token. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / 4);
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
  const room = (maxOutputTokens ?? mostOutputTokens) - thoughtTokens;
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
      // Thinking counts: a small limit is used up before the first word of the answer.
      if (room <= 0) return finish("MAX_TOKENS", undefined, 0);
      if (textTokens(text) > room) return finish("MAX_TOKENS", [{ text: text.slice(0, room * 4) }], room);
      return finish("STOP", [...thoughts, ...split(text)], textTokens(text));
  }
}

/** An answer comes in several parts, cut anywhere. */
function split(text: string): object[] {
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
