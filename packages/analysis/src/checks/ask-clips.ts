import type { CompiledSchema } from "@video-to-json/schema";
import type { Ask, ClipVideo, Question, VideoRun } from "../analysis-provider.ts";
import type { Budget } from "./budget.ts";
import type { ClipWindow } from "./clip-question.ts";

/** Cuts a clip of the job's video. Rejects when that fails, or when the signal aborts. */
export type CutClip = (window: ClipWindow, framesPerSecond: number, signal: AbortSignal) => Promise<CutOutClip>;

/** A clip with the clock of the whole video, and what was measured in it. Times are those of the whole video. */
export type CutOutClip = Pick<ClipVideo, "bytes" | "mimeType"> & {
  edges: { cutsMs: readonly number[]; silences: readonly { fromMs: number; toMs: number }[] };
};

export type ClipDeps = {
  readonly ask: Ask;
  readonly cutClip: CutClip;
  readonly log: { info(obj: object, msg: string): void; warn(obj: object, msg: string): void };
};

/** A job whose conforming answers are checked. */
export type CheckedJob = {
  jobId: string;
  schema: CompiledSchema;
  instructions: string | null;
  /** The part of the video that the answers are about, or the whole video. All times count from the start of the whole. */
  seen: ClipWindow;
  /** Aborts at `deadline` at the latest. The checks end before that time. */
  signal: AbortSignal;
  deadline: Date;
};

/** A clip that is not cut yet, its question, and its estimated price in dollars. */
export type PlannedQuestion = {
  window: ClipWindow;
  framesPerSecond: number;
  dollars: number;
  question: Omit<Question, "clip">;
  /** Returns another question about the clip, if the answer leaves one. */
  next?: (text: string) => NextQuestion | undefined;
};
type NextQuestion = Pick<PlannedQuestion, "question" | "dollars">;

/** The limits of the questions. `signal` aborts at `deadline`. A clip without time or budget gets no question. */
export type ClipRun = VideoRun & { jobId: string; budget: Budget };

/** The model's answers to the questions about a clip, and what was measured in the clip. */
export type ClipReply<Clip> = { clip: Clip; text: string; nextText: string | undefined; edges: CutOutClip["edges"] };

const maxAtOnce = 4;

/**
 * Cuts clips and asks about them, several at once, while the budget and the time last. It never rejects.
 *
 * @returns the answers in the order of the clips. A clip that could not be cut, sent or answered has none.
 */
export async function askClips<Clip extends PlannedQuestion>(
  deps: ClipDeps,
  clips: readonly Clip[],
  run: ClipRun,
): Promise<ClipReply<Clip>[]> {
  const replies: (ClipReply<Clip> | undefined)[] = [];
  const waiting = clips.entries();
  const work = async () => {
    for (const [index, clip] of waiting) {
      if (run.signal.aborted || !run.budget.reserve(clip.dollars)) continue;
      replies[index] = await askClip(deps, clip, run);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, clips.length) }, work));
  return replies.filter((reply) => reply !== undefined);
}

async function askClip<Clip extends PlannedQuestion>(
  { ask, cutClip, log }: ClipDeps,
  clip: Clip,
  { jobId, budget, signal, deadline }: ClipRun,
): Promise<ClipReply<Clip> | undefined> {
  const { window, framesPerSecond } = clip;
  let reply: ClipReply<Clip> | undefined;
  try {
    const { edges, ...cut } = await cutClip(window, framesPerSecond, signal).catch((error) => {
      budget.settle(clip.dollars, 0);
      throw error;
    });
    const sent = { ...cut, ...{ durationMs: window.toMs - window.fromMs, fromMs: window.fromMs, framesPerSecond } };
    const askAbout = async ({ question, dollars }: NextQuestion) => {
      // The provider may count the whole question, even if no answer arrives.
      let spent = dollars;
      try {
        const { text, tokens } = await ask({ ...question, clip: sent }, { signal, deadline });
        spent = tokens?.dollars ?? dollars;
        return text;
      } finally {
        budget.settle(dollars, spent);
      }
    };
    reply = { clip, text: await askAbout(clip), nextText: undefined, edges };
    const next = clip.next?.(reply.text);
    if (!next || !budget.reserve(next.dollars)) return reply;
    return { ...reply, nextText: await askAbout(next) };
  } catch (error) {
    if (!signal.aborted) log.warn({ jobId, err: error }, "no answer about a clip");
    return reply;
  }
}
