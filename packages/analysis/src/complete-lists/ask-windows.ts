import type { CompiledSchema } from "@video-to-json/schema";
import type { Ask, TokenCount } from "../analysis-provider.ts";
import type { ClipWindow } from "../clips/clip-question.ts";
import type { CutClip } from "../clips/cut-clip.ts";
import { estimateTokens, ratesOf } from "../second-look/estimate-tokens.ts";
import type { TokenBudget } from "../second-look/token-budget.ts";
import { planWindows } from "./plan-windows.ts";
import { type WindowAsk, windowQuestion } from "./window-question.ts";
import { windowSchema } from "./window-schema.ts";

export type AskWindowsDeps = {
  readonly ask: Ask;
  readonly cutClip: CutClip;
  readonly log: { info(obj: object, msg: string): void; warn(obj: object, msg: string): void };
};

type Request = {
  jobId: string;
  schema: CompiledSchema;
  instructions: string | null;
  /** The part of the video that the answer is about. */
  part: ClipWindow;
  firstPass: TokenCount | undefined;
  budget: TokenBudget;
  /** Aborts at `deadline`. Questions that are not asked by then stay unasked. */
  signal: AbortSignal;
  deadline: Date;
};

/** The answer about one window, as the model wrote it. */
export type WindowAnswer = { window: ClipWindow; text: string };

const maxAtOnce = 4;
const framesPerSecond = 1;
/** The tokens of an answer are reserved as if it had this many items. */
const itemsGuessed = 6;

/**
 * Asks, window by window, for the items of some lists. Never rejects: a window that has no budget or no time, or that
 * fails, has no answer.
 */
export async function askWindows(
  deps: AskWindowsDeps,
  pointers: readonly string[],
  request: Request,
): Promise<WindowAnswer[]> {
  const ask = windowAsk(request, pointers);
  if (!ask) return [];
  const rates = ratesOf(request.firstPass, request.part.toMs - request.part.fromMs);
  const textLength = 2 * ask.schemaText.length + (ask.instructions?.length ?? 0);
  const waiting = planWindows(request.part);
  const answers: WindowAnswer[] = [];
  const work = async () => {
    for (let window = waiting.shift(); window; window = waiting.shift()) {
      const lengthMs = window.toMs - window.fromMs;
      const tokens = estimateTokens(rates, { lengthMs, framesPerSecond, questions: itemsGuessed, textLength });
      if (request.signal.aborted || !request.budget.reserve(tokens)) continue;
      const text = await askWindow(deps, window, { ask, reserved: tokens, ...request });
      if (text !== undefined) answers.push({ window, text });
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, waiting.length) }, work));
  return answers.sort((a, b) => a.window.fromMs - b.window.fromMs);
}

async function askWindow(
  { ask: askProvider, cutClip, log }: AskWindowsDeps,
  window: ClipWindow,
  { ask, reserved, jobId, budget, signal, deadline }: Request & { ask: WindowAsk; reserved: number },
): Promise<string | undefined> {
  let spent = 0;
  try {
    const { bytes, mimeType } = await cutClip(window, framesPerSecond, signal);
    // From here on the provider may count the whole question, even if no answer arrives.
    spent = reserved;
    const clip = { bytes, mimeType, framesPerSecond };
    const { text, tokens } = await askProvider({ ...windowQuestion(window, ask), clip }, { signal, deadline });
    spent = tokens?.total ?? reserved;
    return unwrap(text);
  } catch (error) {
    if (!signal.aborted) log.warn({ jobId, err: error }, "window not asked");
    return undefined;
  } finally {
    budget.settle(reserved, spent);
  }
}

function windowAsk({ schema, instructions }: Request, pointers: readonly string[]): WindowAsk | undefined {
  const asked = windowSchema(JSON.parse(schema.fullText), pointers);
  const responseSchema = schema.lean && windowSchema(schema.lean, pointers);
  return asked && { schemaText: JSON.stringify(asked), responseSchema: responseSchema ?? null, instructions };
}

function unwrap(text: string): string {
  return text.trim().replace(/^```[A-Za-z]*\s*\n([\s\S]*)```$/, "$1");
}
