import { type Evidence, type Leaf, notChecked, type VideoPart } from "@video-to-json/contract";
import { steadyNow } from "@video-to-json/runtime/timing";
import type { Ask, VideoRun } from "../analysis-provider.ts";
import type { Budget } from "./budget.ts";
import { checkQuotes, type QuoteChecks } from "./check-quotes.ts";
import { evidenceQuestion } from "./evidence-question.ts";
import type { RunInThread } from "./run-in-thread.ts";
import type { FoundEvidence, TimeChecks } from "./write-evidence.ts";

/** The checks that look at parts of the video again. Each rejects when it cannot look, or when the run ends. */
export type EvidenceChecks = QuoteChecks & {
  /** Looks at the times of the answer, or returns the findings of a second look that was taken before. */
  checkTimes(run: VideoRun): Promise<TimeChecks>;
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
  /** The largest size of the evidence, in bytes of JSON. */
  maxBytes: number;
  /** How long it may take, in milliseconds. */
  budgetMs: number;
  /** Ends it early. The evidence is then what was found so far. */
  signal: AbortSignal;
};

const minBudgetMs = 2_000;
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

/** Returns what the model says about the leaves of an answer, and what the checks find there. Null: the model says nothing. */
async function find(deps: EvidenceDeps, answer: AnswerToProve): Promise<FoundEvidence | null> {
  const { ask, checks, runInThread, budget, log } = deps;
  const { jobId, dataText, instructions, durationMs, clip = null, maxBytes, budgetMs } = answer;
  const signal = AbortSignal.any([answer.signal, AbortSignal.timeout(budgetMs)]);
  const run: VideoRun = { signal, deadline: new Date(steadyNow() + budgetMs) };
  const leaves: Leaf[] = await runInThread("leavesToAsk", { dataText, maxBytes }, signal);
  if (leaves.length === 0) return { claims: new Map(), times: null, quotes: new Map(), isComplete: true };
  const fixed = budget.priceOf({ lengthMs: clip ? clip.toMs - clip.fromMs : durationMs, ...wholeQuestion });
  const perLeaf = leafTokens.question * budget.rates.input + leafTokens.answer * budget.rates.output;
  const asked = leaves.slice(0, Math.max(0, Math.floor((budget.left() - fixed) / perLeaf)));
  const price = fixed + asked.length * perLeaf;
  if (asked.length === 0 || !budget.reserve(price)) return null;
  const { text, tokens } = await ask(evidenceQuestion({ leaves: asked, instructions, durationMs, clip }), run);
  budget.settle(price, tokens?.dollars ?? price);
  const pointers = asked.map(({ pointer }) => pointer);
  const about = { pointers, seen: clip ?? { fromMs: 0, toMs: durationMs } };
  const claims = await runInThread("readClaims", { text, about }, signal);
  if (claims.size === 0) return null;
  const spans = [...claims.values()].flatMap((claim) => claim.spans);
  const [times, quotes] = await Promise.all([
    checks.checkTimes(run).catch((error) => {
      log.warn({ jobId, err: error }, "times not looked at again");
      return null;
    }),
    checkQuotes(checks, spans, { durationMs, ...run }),
  ]);
  const isTimeLeft = [...(times?.findings.values() ?? [])].some(({ verdict }) => verdict === "not_checked");
  const isComplete = asked.length === leaves.length && quotes.isComplete && times !== null && !isTimeLeft;
  return { claims, times, quotes: quotes.found, isComplete };
}
