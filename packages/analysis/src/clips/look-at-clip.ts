import type { Ask, ClipVideo, Question, TokenCount, VideoRun } from "../analysis-provider.ts";
import { clipSystemPrompt } from "./clip-prompt.ts";
import { type ClipQuestion, type ClipWindow, clipSchema, writeClipPrompt } from "./clip-question.ts";
import { readClipAnswer, type Sighting } from "./read-clip-answer.ts";

/** A clip with the clock of the whole video in its pictures, and the part of the video that it shows. */
export type ClockedClip = { video: ClipVideo; window: ClipWindow };

/**
 * Asks when things happen in one clip, by the clock in its pictures. The questions do not mention times.
 *
 * @param run limits the question, because a clip is worth less time than a job.
 * @returns one sighting for each question, in their order, and what they cost.
 * @throws NoAnswer, Problem, or the reason of `run.signal`, as `ask` does.
 */
export async function lookAtClip(
  { ask }: { readonly ask: Ask },
  { video, window }: ClockedClip,
  questions: readonly ClipQuestion[],
  run: VideoRun & { model?: Question["model"] },
): Promise<{ sightings: Sighting[]; tokens: TokenCount | null }> {
  const responseSchema = clipSchema(questions);
  const prompt = writeClipPrompt(window, responseSchema);
  const { model = "small", ...bounds } = run;
  const answer = await ask({ model, system: clipSystemPrompt, prompt, responseSchema, clip: video }, bounds);
  return {
    sightings: readClipAnswer(answer.text, questions.length, { ...window, ...video }),
    tokens: answer.tokens ?? null,
  };
}
