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
 * value that is found both times is seen; only another one that is found both times denies it. The second question is about
 * those fields of which the first answer tells something. Never rejects: what was not asked has no finding.
 */
export async function checkVisual(
  ask: AskVisual,
  looks: readonly VisualLook[],
  run: VideoRun & { budget: Budget },
): Promise<Map<string, VisualFinding>> {
  const found = new Map<string, VisualFinding>();
  const first = await askOnce(ask, looks, { ...run, nth: 0 });
  for (const [pointer] of first) found.set(pointer, { looks: [false], read: null });
  const open = looks.flatMap((look) => {
    const fields = look.fields.filter(({ pointer }) => typeof first.get(pointer) === "string");
    return fields.length === 0 ? [] : [{ ...look, fields }];
  });
  const second = await askOnce(ask, open, { ...run, nth: 1 });
  for (const { pointer, value } of open.flatMap(({ fields }) => fields)) {
    const [before, now] = [first.get(pointer), second.get(pointer)];
    if (now === undefined) found.delete(pointer);
    else {
      const looks = [before === value, now === value];
      found.set(pointer, { looks, read: now === before && now !== value ? now : null });
    }
  }
  return found;
}

async function askOnce(
  ask: AskVisual,
  looks: readonly VisualLook[],
  { nth, ...run }: VideoRun & { budget: Budget; nth: 0 | 1 },
): Promise<Map<string, string | null>> {
  const clips = looks.map(({ window, fields }) => ({
    ...{ window, framesPerSecond, fields, question: visualQuestion(fields, nth) },
    dollars: priceOf(window, fields, nth, run.budget.rates),
  }));
  const replies = await ask(clips, run);
  return new Map(
    replies.flatMap(({ clip: { fields }, text }) =>
      readVisualAnswer(text, fields, nth).flatMap((meaning, index): [string, string | null][] => {
        const pointer = fields[index]?.pointer;
        return meaning === undefined || pointer === undefined ? [] : [[pointer, meaning]];
      }),
    ),
  );
}
