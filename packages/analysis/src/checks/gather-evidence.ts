import { type Evidence, type Leaf, notChecked, type VideoPart } from "@video-to-json/contract";
import { steadyNow } from "@video-to-json/runtime/timing";
import { type Ask, NoAnswer, type VideoRun } from "../analysis-provider.ts";
import { type Budget, openPurse } from "./budget.ts";
import { checkQuotes, type QuoteChecks } from "./check-quotes.ts";
import { type AskVisual, checkVisual, planVisualLooks, type VisualFinding } from "./check-visual.ts";
import { type Claim, evidenceQuestion } from "./evidence-question.ts";
import type { RunInThread } from "./run-in-thread.ts";
import type { FoundEvidence, TimeChecks } from "./write-evidence.ts";

/** The checks that look at parts of the video again. Each rejects when it cannot look, or when the run ends. */
export type EvidenceChecks = QuoteChecks & {
  /** Looks at the times of the answer, or returns the findings of a second look that was taken before. */
  checkTimes(run: VideoRun): Promise<TimeChecks>;
  /** Asks about clips. Null if the provider takes none. */
  askVisual: AskVisual | null;
};

type EvidenceDeps = {
  readonly ask: Ask;
  readonly checks: EvidenceChecks;
  readonly runInThread: RunInThread;
  readonly budget: Budget;
  readonly log: { warn(obj: object, msg: string): void };
};

/** A conforming answer that evidence is gathered for. */
export type AnswerToProve = {
  jobId: string;
  /** The answer, and the schema that it conforms to (the full JSON Schema), as JSON texts. */
  dataText: string;
  schemaText: string;
  instructions: string | null;
  /** The length of the whole video. All times of evidence count from its start. */
  durationMs: number;
  /** The part of the whole video that the model sees, unless it sees the whole. */
  clip?: VideoPart | null;
  /** The pointers of the times that a second look did not confirm. */
  doubtful?: readonly string[];
  /** The pointers of all times. */
  times?: readonly string[];
  /** The largest size of the evidence, in bytes of JSON. */
  maxBytes: number;
  /** How long it may take, in milliseconds. */
  budgetMs: number;
  /** Ends it early. The evidence is then what was found so far. */
  signal: AbortSignal;
};

const minBudgetMs = 2_000;
/** A model writes a line for each field, and the answer to a question for more of them would be cut off. */
const maxAsked = 200;
/** The tokens of a field in the question, and of where the video shows it in the answer. */
const leafTokens = { question: 33, answer: 40 };
/** The question shows the whole video, as the first one did. Its rules and its schema are twice as long as a clip's. */
const wholeQuestion = { framesPerSecond: 1, questions: 0, textLength: 2_000 };
/** The evidence is written even if the worker stops. The thread may be busy with the work of others. */
const maxWriteMs = 5_000;

/**
 * Gathers the evidence of each leaf of an answer (docs/decisions/0001, "Evidence"): asks where the video shows it, then
 * looks there. If a step fails or takes too long, the evidence is partial or unavailable. Never rejects, because
 * missing evidence must not lose the answer.
 */
export async function gatherEvidence(deps: EvidenceDeps, answer: AnswerToProve): Promise<Evidence> {
  const { runInThread, log } = deps;
  const { jobId, dataText, schemaText, durationMs, maxBytes, budgetMs } = answer;
  const write = (found: FoundEvidence | null) =>
    runInThread(
      "writeEvidence",
      { jobId, dataText, schemaText, durationMs, maxBytes, found },
      AbortSignal.timeout(maxWriteMs),
    );
  try {
    return await write(budgetMs < minBudgetMs ? null : await find(deps, answer));
  } catch (error) {
    log.warn({ jobId, err: error }, "evidence not gathered");
    return await write(null).catch(() => nothingSaid(answer));
  }
}

/** Returns evidence that says nothing, for an answer with too much in it: one pointer, to the whole answer. */
function nothingSaid({ jobId, durationMs }: AnswerToProve): Evidence {
  const fields = { "": notChecked };
  return { job_id: jobId, status: "unavailable", duration_ms: durationMs, fields, whole_video: [], absent: [] };
}

/** Returns what the model says about the leaves of an answer, and what the checks find there. Null: there is nothing. */
async function find(deps: EvidenceDeps, answer: AnswerToProve): Promise<FoundEvidence | null> {
  const { checks, runInThread, log } = deps;
  const { jobId, dataText, durationMs, maxBytes, budgetMs, doubtful = [] } = answer;
  const signal = AbortSignal.any([answer.signal, AbortSignal.timeout(budgetMs)]);
  const run: VideoRun = { signal, deadline: new Date(steadyNow() + budgetMs) };
  const leaves: Leaf[] = await runInThread("leavesToAsk", { dataText, maxBytes, doubtful }, signal);
  if (leaves.length === 0)
    return { claims: new Map(), times: null, quotes: new Map(), visual: new Map(), isComplete: true };
  const { claims, isAllAsked } = await askForPlaces(deps, answer, { leaves, run });
  const spans = [...claims.values()].flatMap((claim) => claim.spans);
  const reserved = Promise.withResolvers<void>();
  const [times, quotes, visual] = await Promise.all([
    reserved.promise
      .then(() => checks.checkTimes(run))
      .catch((error) => {
        log.warn({ jobId, err: error }, "times not looked at again");
        return null;
      }),
    checkQuotes(checks, spans, { durationMs, ...run }),
    lookAtVisible(deps, answer, { leaves, claims, run, onReserved: reserved.resolve }),
  ]);
  const verdicts = [...(times?.findings.values() ?? [])].map(({ verdict }) => verdict);
  if (claims.size === 0 && verdicts.every((verdict) => verdict === "not_checked")) return null;
  const isTimeLeft = verdicts.includes("not_checked");
  const isComplete = isAllAsked && visual.isAllSeen && quotes.isComplete && times !== null && !isTimeLeft;
  return { claims, times, quotes: quotes.found, visual: visual.seen, isComplete };
}

/** The share of what is left for looks at visible values. A clip shows many of them, and few times. */
const visualShare = 0.75;

type Visible = {
  leaves: readonly Leaf[];
  claims: ReadonlyMap<string, Claim>;
  run: VideoRun;
  onReserved(): void;
};

/** Prices are estimated from above, so what a round leaves pays for a part of the rest. */
const maxRounds = 3;

/**
 * Looks twice at visible values, those beside doubtful times first, for a part of the money that is left. Never rejects.
 *
 * @param onReserved called when the first looks have their money, or need none: then other checks may take the rest.
 */
async function lookAtVisible(
  { checks: { askVisual }, runInThread, budget, log }: EvidenceDeps,
  { jobId, dataText, schemaText, durationMs, times = [] }: AnswerToProve,
  { leaves, claims, run, onReserved }: Visible,
): Promise<{ seen: Map<string, VisualFinding>; isAllSeen: boolean }> {
  const seen = new Map<string, VisualFinding>();
  const share = times.length > 0 ? visualShare : 1;
  try {
    if (!askVisual) return { seen, isAllSeen: true };
    const about = { dataText, schemaText, durationMs, claims, times, leaves };
    const fields = await runInThread("findVisualFields", about, run.signal);
    let open = fields;
    for (let round = 1; round <= maxRounds && open.length > 0; round++) {
      const looks = planVisualLooks(open, budget.rates, share * budget.left());
      const purse = openPurse(
        budget,
        looks.reduce((sum, { dollars }) => sum + dollars, 0),
      );
      onReserved();
      for (const [pointer, finding] of await checkVisual(askVisual, looks, { ...run, budget: purse }))
        seen.set(pointer, finding);
      purse.close();
      const asked = new Set(looks.flatMap((look) => look.fields));
      open = asked.size === 0 ? [] : open.filter((field) => !asked.has(field));
    }
    return { seen, isAllSeen: seen.size === fields.length };
  } catch (error) {
    log.warn({ jobId, err: error }, "visible values not looked at");
    return { seen, isAllSeen: false };
  } finally {
    onReserved();
  }
}

/**
 * Asks where the video shows the leaves, in as many questions as the budget pays for, and once more for those that an answer
 * leaves out. The claims of earlier answers stay when a later question fails.
 */
async function askForPlaces(
  { ask, runInThread, budget, log }: EvidenceDeps,
  { jobId, instructions, durationMs, clip = null }: AnswerToProve,
  { leaves, run }: { leaves: readonly Leaf[]; run: VideoRun },
): Promise<{ claims: Map<string, Claim>; isAllAsked: boolean }> {
  const seen = clip ?? { fromMs: 0, toMs: durationMs };
  const fixed = budget.priceOf({ lengthMs: seen.toMs - seen.fromMs, ...wholeQuestion });
  const perLeaf = leafTokens.question * budget.rates.input + leafTokens.answer * budget.rates.output;
  const claims = new Map<string, Claim>();
  const tries = new Map<Leaf, number>();
  const waiting = () => leaves.filter((leaf) => !claims.has(leaf.pointer) && (tries.get(leaf) ?? 0) < 2);
  try {
    for (let open = waiting(); open.length > 0; open = waiting()) {
      const asked = open.slice(0, Math.min(maxAsked, Math.max(0, Math.floor((budget.left() - fixed) / perLeaf))));
      const price = fixed + asked.length * perLeaf;
      if (asked.length === 0 || !budget.reserve(price)) break;
      for (const leaf of asked) tries.set(leaf, (tries.get(leaf) ?? 0) + 1);
      const question = evidenceQuestion({ leaves: asked, instructions, durationMs, clip });
      const { text, tokens } = await ask(question, run).catch(partOfAnswer);
      budget.settle(price, tokens?.dollars ?? price);
      const about = { pointers: asked.map(({ pointer }) => pointer), seen };
      for (const [pointer, claim] of await runInThread("readClaims", { text, about }, run.signal))
        claims.set(pointer, claim);
    }
  } catch (error) {
    log.warn({ jobId, err: error }, "evidence not asked to the end");
  }
  return { claims, isAllAsked: leaves.every((leaf) => tries.has(leaf)) };
}

/** Returns the part of an answer that the model wrote before it was cut off. Throws every other error. */
function partOfAnswer(error: unknown): { text: string; tokens?: undefined } {
  if (error instanceof NoAnswer && error.partial !== null) return { text: error.partial };
  throw error;
}
