import type { Rates, VideoRun } from "../analysis-provider.ts";
import type { ClipReply, PlannedQuestion } from "./ask-clips.ts";
import type { Budget } from "./budget.ts";
import { readVisualAnswer, type VisualField, visualQuestion } from "./visual-question.ts";

/**
 * `looks`: for each look at a visible value, whether it saw that value. There is no second look if the first one saw none of the
 * options. `read`: another value, if both looks saw the same one.
 */
export type VisualFinding = { looks: readonly boolean[]; read: string | null };

/** Cuts clips and asks about them, as `askClips` does, within a budget. */
export type AskVisual = <Clip extends PlannedQuestion>(
  clips: readonly Clip[],
  run: VideoRun & { budget: Budget },
) => Promise<ClipReply<Clip>[]>;

const framesPerSecond = 1;
const maxQuestions = 12;
/** The tokens of a prompt and its answer beside their texts. */
const extraTokens = 60;
const answerTokens = 7;

/** The visible values of one clip, and the price of both questions. */
type VisualLook = { window: VisualField["window"]; fields: VisualField[]; dollars: number };

/** Returns the looks at visible values, with those in doubt first, for at most these dollars. */
export function planVisualLooks(fields: readonly VisualField[], rates: Rates, maxDollars: number): VisualLook[] {
  const clips = Map.groupBy(fields, ({ window }) => `${window.fromMs} ${window.toMs}`);
  let left = maxDollars;
  return [...clips.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / maxQuestions) }, (_, part) => {
      const own = all.slice(part * maxQuestions, (part + 1) * maxQuestions);
      const window = (own[0] as VisualField).window;
      return { window, fields: own, dollars: priceOf(window, own, 0, rates) + priceOf(window, own, 1, rates) };
    }).filter(({ dollars }) => {
      if (dollars > left) return false;
      left -= dollars;
      return true;
    }),
  );
}

function priceOf(window: VisualField["window"], fields: readonly VisualField[], nth: 0 | 1, rates: Rates): number {
  const { system, prompt, responseSchema } = visualQuestion(fields, nth);
  const seconds = Math.ceil((window.toMs - window.fromMs) / 1_000);
  // Four characters are about one token.
  const asked = (system.length + prompt.length + JSON.stringify(responseSchema).length) / 4 + extraTokens;
  const seen = seconds * (framesPerSecond * rates.picture + rates.soundSecond);
  return seen + asked * rates.input + fields.length * answerTokens * rates.output;
}

/**
 * Looks twice at each visible value, with the options in another order or with the opposite said, and the value among decoys. Only a
 * value that is found both times is seen; only another one that is found both times denies it. The second question is about the
 * same clip, and those fields of which the first answer tells something. Never rejects: what was not asked has no finding.
 */
export async function checkVisual(
  ask: AskVisual,
  looks: readonly VisualLook[],
  run: VideoRun & { budget: Budget },
): Promise<Map<string, VisualFinding>> {
  const questionOf = (window: VisualField["window"], fields: readonly VisualField[], nth: 0 | 1) => ({
    question: visualQuestion(fields, nth),
    dollars: priceOf(window, fields, nth, run.budget.rates),
  });
  const clips = looks.map(({ window, fields }) => ({
    ...{ window, framesPerSecond, fields, ...questionOf(window, fields, 0) },
    next(text: string) {
      const open = openFields(fields, meaningsOf(text, fields, 0));
      return open.length > 0 ? questionOf(window, open, 1) : undefined;
    },
  }));
  const found = new Map<string, VisualFinding>();
  for (const { clip, text, nextText = "" } of await ask(clips, run)) {
    const first = meaningsOf(text, clip.fields, 0);
    const second = meaningsOf(nextText, openFields(clip.fields, first), 1);
    for (const { pointer, value } of clip.fields) {
      const [before, now] = [first.get(pointer), second.get(pointer)];
      if (before === null) found.set(pointer, { looks: [false], read: null });
      else if (before !== undefined && now !== undefined) {
        const looks = [before === value, now === value];
        found.set(pointer, { looks, read: now === before && now !== value ? now : null });
      }
    }
  }
  return found;
}

/** Returns the fields of which the first answer tells something. */
function openFields(fields: readonly VisualField[], first: Meanings): VisualField[] {
  return fields.filter(({ pointer }) => typeof first.get(pointer) === "string");
}

/** What an answer says about fields, by pointer: a value, null where it tells nothing, or undefined without an answer. */
type Meanings = ReadonlyMap<string, string | null | undefined>;

function meaningsOf(text: string, fields: readonly VisualField[], nth: 0 | 1): Meanings {
  const meanings = readVisualAnswer(text, fields, nth);
  return new Map(fields.map(({ pointer }, index) => [pointer, meanings[index]]));
}
