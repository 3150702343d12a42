import {
  type Evidence,
  type FieldEvidence,
  type Leaf,
  leavesOf,
  notChecked,
  saysNothing,
  unavailableEvidence,
  type VideoPart,
} from "@video-to-json/contract";
import type { Ask, VideoRun } from "../analysis-provider.ts";
import { absentPointers } from "./absent-pointers.ts";
import { checkQuotes, type QuoteChecks } from "./check-quotes.ts";
import { type Claim, evidenceQuestion, readClaims } from "./evidence-question.ts";
import { judgeField } from "./judge-field.ts";
import type { SecondLookFindings } from "./judge-times.ts";

/** The findings about the times of an answer, by pointer. A leaf without a finding is not a time. */
type TimeChecks = {
  findings: SecondLookFindings;
  /** Whether a second look has written its moves into the answer. */
  isCorrected: boolean;
};

/** The checks that look at parts of the video again. Each rejects when it cannot look, or when the run ends. */
export type EvidenceChecks = QuoteChecks & {
  /** Looks at the times of the answer, or returns the findings of a second look that was taken before. */
  checkTimes(run: VideoRun): Promise<TimeChecks>;
};

type EvidenceDeps = {
  readonly ask: Ask;
  readonly checks: EvidenceChecks;
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
  /** How long it may take, in milliseconds. */
  budgetMs: number;
  /** Ends it early. The evidence is then what was found so far. */
  signal: AbortSignal;
};

/** A model writes a line for each field, so a question for more of them would take too long. */
const maxFields = 120;
const minBudgetMs = 2_000;

/**
 * Gathers the evidence of each leaf of an answer (docs/decisions/0001, "Evidence"): asks where the video shows it, then
 * looks there. If a step fails or takes too long, the evidence is partial or unavailable. Never rejects, because
 * missing evidence must not lose the answer.
 */
export async function gatherEvidence(deps: EvidenceDeps, answer: AnswerToProve): Promise<Evidence> {
  const { jobId, durationMs, budgetMs } = answer;
  const data: unknown = JSON.parse(answer.dataText);
  const absent = absentPointers(JSON.parse(answer.schemaText), data);
  const nothing = { ...unavailableEvidence({ jobId, data, durationMs }), absent };
  if (budgetMs < minBudgetMs) return nothing;
  const signal = AbortSignal.any([answer.signal, AbortSignal.timeout(budgetMs)]);
  const deadline = new Date(Date.now() + budgetMs);
  const leaves = leavesOf(data).filter((leaf) => !saysNothing(leaf));
  const asked = leaves.slice(0, maxFields);
  if (asked.length === 0) return { ...nothing, status: "complete" };
  try {
    const claims = await askWhere(deps, { ...answer, signal, deadline }, asked);
    if (claims.size === 0) return nothing;
    const found = await check(deps, { ...answer, signal, deadline }, asked, claims);
    const whole = new Set(asked.filter(({ pointer }) => found.isWholeVideo(pointer)).map(({ pointer }) => pointer));
    return {
      ...nothing,
      status: found.isComplete && asked.length === leaves.length ? "complete" : "partial",
      fields: Object.fromEntries(
        leaves
          .filter(({ pointer }) => !whole.has(pointer))
          .map(({ pointer }) => [pointer, found.fields.get(pointer) ?? notChecked]),
      ),
      whole_video: leavesOf(data)
        .filter((leaf) => saysNothing(leaf) || whole.has(leaf.pointer))
        .map(({ pointer }) => pointer),
    };
  } catch (error) {
    deps.log.warn({ jobId, err: error }, "evidence not gathered");
    return nothing;
  }
}

async function askWhere(
  { ask }: EvidenceDeps,
  { instructions, durationMs, clip = null, signal, deadline }: AnswerToProve & VideoRun,
  leaves: readonly Leaf[],
): Promise<Map<string, Claim>> {
  const question = evidenceQuestion({ leaves, instructions, durationMs, clip });
  const { text } = await ask(question, { signal, deadline });
  const seen = clip ?? { fromMs: 0, toMs: durationMs };
  return readClaims(text, { pointers: new Set(leaves.map(({ pointer }) => pointer)), seen });
}

type Found = {
  fields: Map<string, FieldEvidence>;
  isWholeVideo(pointer: string): boolean;
  isComplete: boolean;
};

async function check(
  { checks, log }: EvidenceDeps,
  { jobId, durationMs, signal, deadline }: AnswerToProve & VideoRun,
  leaves: readonly Leaf[],
  claims: ReadonlyMap<string, Claim>,
): Promise<Found> {
  const spans = leaves.flatMap(({ pointer }) => claims.get(pointer)?.spans ?? []);
  const [times, quotes] = await Promise.all([
    checks.checkTimes({ signal, deadline }).catch((error) => {
      log.warn({ jobId, err: error }, "times not looked at again");
      return undefined;
    }),
    checkQuotes(checks, spans, { durationMs, signal, deadline }),
  ]);
  const fields = leaves.map((leaf) => {
    const judged = {
      claim: claims.get(leaf.pointer),
      time: times?.findings.get(leaf.pointer),
      isCorrected: times?.isCorrected ?? false,
      found: quotes.found,
    };
    return [leaf.pointer, judgeField(leaf, judged)] as const;
  });
  const isTimeLeft = [...(times?.findings.values() ?? [])].some(({ verdict }) => verdict === "not_checked");
  return {
    fields: new Map(fields),
    // A time is a moment, even if the model says otherwise.
    isWholeVideo: (pointer) => claims.get(pointer)?.isWholeVideo === true && !times?.findings.has(pointer),
    isComplete: quotes.isComplete && times !== undefined && !isTimeLeft,
  };
}
