import { type CheckedAnswer, checksThread, openShiftMemory, prepareChecks } from "@video-to-json/analysis";
import { defaultLimits } from "@video-to-json/contract";
import { openSchemaSandbox } from "@video-to-json/schema";
import { type ClipErrors, openErringModel, type Scene, windowIn } from "./erring-model.ts";
import { hearScenes, type Recogniser, readScene } from "./recogniser.ts";

/** An answer about a video, and what the video shows. */
export type FirstAnswer = {
  /** A sketch or a JSON Schema, to which the data conforms. */
  schemaText: string;
  durationMs: number;
  scenes: readonly Scene[];
  data: unknown;
  /** Decides how the model errs about this video. */
  seed: number;
};

const perToken = 0.3 / 1_000_000;
const rates = { picture: 70 * perToken, soundSecond: 32 * perToken, input: perToken, output: 2.5 / 1_000_000 };

type Checking = { errors: ClipErrors; secondLook: "auto" | "times" | "off"; recogniser?: Recogniser };

/**
 * Runs the product's own checks over answers, with a model that errs: as jobs of one account, one after the other.
 *
 * @param done gets each answer, the checked one, and the dollars of the checks in dollars of the first pass.
 */
export async function checkAnswers<Answer extends FirstAnswer>(
  answers: readonly Answer[],
  { errors, secondLook, recogniser }: Checking,
  done: (answer: Answer, checked: CheckedAnswer, price: { secondLook: number; evidence: number }) => void,
): Promise<void> {
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1, thread: checksThread });
  try {
    const shiftsOf = openShiftMemory();
    const work = sandbox.forAccount("laboratory");
    for (const answer of answers) {
      const { durationMs, scenes, data, seed } = answer;
      const firstPass =
        (durationMs / 1000) * (rates.picture + rates.soundSecond) + 1500 * rates.input + 400 * rates.output;
      const model = openErringModel(scenes, durationMs, errors, seed);
      let spent = 0;
      let asked = 0;
      let isProving = false;
      const readFrame = async (atMs: number, reading: "first" | "second") => {
        const shown = model.screenAt(atMs);
        if (isProving) return shown;
        if (recogniser?.drawn) return shown === "" ? "" : recogniser.drawn.read(shown, reading, seed);
        return recogniser?.of === "screen" ? readScene(model.screenAt, recogniser, { atMs, seed }) : null;
      };
      const checks = prepareChecks(
        {
          sandbox: work,
          cutClip: async () => ({ bytes: new Uint8Array(1), mimeType: "", edges: { cutsMs: [], silences: [] } }),
          hearsSound: true,
          async readScreens({ times, reading }) {
            const isRead = isProving || recogniser?.of === "screen";
            return isRead ? Promise.all(times.map((atMs) => readFrame(atMs, reading))) : null;
          },
          log: {
            info: (facts) => {
              spent += Number((facts as { dollars?: number }).dollars ?? 0);
            },
            warn() {},
          },
        },
        {
          shifts: shiftsOf({ accountId: "laboratory", schemaText: answer.schemaText }),
          ...{ jobId: "laboratory", schema: await work.compile(answer.schemaText), instructions: null, durationMs },
          words: async () => (recogniser?.of === "speech" ? hearScenes(scenes, recogniser, seed) : null),
          ...{ part: null, hasSound: recogniser?.of === "speech", signal: new AbortController().signal },
          ...{ deadline: new Date(Date.now() + 3_600_000), secondLook, completesLists: false },
          evidence: { ms: 60_000, maxBytes: 400_000 },
        },
      )?.(async ({ check, system, prompt, responseSchema, clip }) => {
        const { fromMs, durationMs: lengthMs = 0 } = clip ?? {};
        const window = windowIn(prompt) ?? (fromMs === undefined ? undefined : { fromMs, toMs: fromMs + lengthMs });
        const seconds = window ? (window.toMs - window.fromMs) / 1000 : durationMs / 1000;
        const framesPerSecond = clip?.framesPerSecond ?? 1;
        const pictures = seconds * framesPerSecond;
        const text = !window
          ? model.answerPlaces(prompt)
          : check === "second_look"
            ? model.answerClip(responseSchema as Record<string, unknown>, { ...window, framesPerSecond })
            : model.answerChoices(prompt, { ...window, framesPerSecond });
        const dollars =
          pictures * rates.picture +
          seconds * rates.soundSecond +
          ((prompt.length + (check === "evidence" ? system.length : 0)) / 4) * rates.input +
          (text.length / 4) * rates.output;
        asked += check === "evidence" ? dollars : 0;
        return { text, model: "m", tokens: { total: 1, audio: 0, dollars, rates } };
      });
      if (!checks) throw new Error("there are no checks");
      const written = JSON.stringify(data);
      const tokens = { total: 1, audio: 0, dollars: firstPass, rates };
      const first = { text: written, written, model: "m", tokens, attemptMs: 1000, isLast: true };
      const { answer: reviewed } = await checks.review(first);
      const secondLookPrice = spent / firstPass;
      isProving = true;
      const proved = await checks.prove(reviewed);
      done(answer, proved, { secondLook: secondLookPrice, evidence: asked / firstPass });
    }
  } finally {
    await sandbox.close();
  }
}
