import { NoAnswer } from "../analysis-provider.ts";
import type { Completion } from "./chat-server.ts";

/**
 * Returns the text of an answer, without the fence around it if it has one. Throws NoAnswer when the model stopped early,
 * declined, wrote nothing, or when the server read fewer tokens than the pictures have.
 */
export function readAnswer({ content, reasoning, finishReason, tokens }: Completion, leastTokens: number): string {
  if (finishReason === "length")
    throw new NoAnswer("the answer was cut off for its length; a shorter one is needed", content);
  if (finishReason === "content_filter") throw new NoAnswer("the analysis declined to answer");
  if (finishReason !== "stop") throw new NoAnswer("the analysis stopped without an answer");
  // Some servers cut a question that is too long for them, and answer the rest.
  if (tokens && tokens.input < leastTokens) throw new NoAnswer("the analysis did not receive the video");
  const text = withoutFence(content.trim() === "" && isJson(reasoning) ? reasoning : content);
  if (text.trim() === "") throw new NoAnswer("the answer was empty");
  return text;
}

function withoutFence(text: string): string {
  return /^\s*```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** With constrained answers, some servers put the whole answer where thoughts belong. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
