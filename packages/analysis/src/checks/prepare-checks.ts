import { type Evidence, type SecondLook, timestampText, type VideoPart } from "@video-to-json/contract";
import { steadyNow } from "@video-to-json/runtime/timing";
import type { SchemaWork, TimeClaim } from "@video-to-json/schema";
import type { Ask, SpokenWord, TokenCount, VideoRun } from "../analysis-provider.ts";
import type { ConformingAnswer, OpenChecks } from "../ladder/analyse.ts";
import { spokenWithin } from "../transcription/transcription.ts";
import { askClips, type CheckedJob, type ClipDeps, type CutClip } from "./ask-clips.ts";
import { openBudget } from "./budget.ts";
import type { SeenShifts } from "./calibrate.ts";
import { hearClip, type QuoteChecks } from "./check-quotes.ts";
import { type ListCompletions, openListCompletions } from "./complete-lists.ts";
import { type EvidenceChecks, gatherEvidence } from "./gather-evidence.ts";
import type { SecondLookFindings } from "./judge-times.ts";
import { runInThreadsOf } from "./run-in-thread.ts";
import { countVerdicts, lookAtTimes, openSecondLooks, type SecondLookResult, type SecondLooks } from "./second-look.ts";
import { openWitness, type Witness } from "./witness.ts";

export type ChecksDeps = {
  /** A sandbox whose threads run `checksThread`. */
  readonly sandbox: Pick<SchemaWork, "findTimes" | "findLists" | "run">;
  /** Null if the provider takes no clips. */
  readonly cutClip: CutClip | null;
  /** Whether the model hears the sound of a clip. */
  readonly hearsSound: boolean;
  readonly readScreens: QuoteChecks["readScreens"];
  readonly log: ClipDeps["log"];
};

/** A job, and the checks that it wants. */
export type JobToCheck = Omit<CheckedJob, "seen"> & {
  durationMs: number;
  shifts: SeenShifts;
  hasSound: boolean;
  /** The words that a recogniser heard, with times of the whole video; null without a recogniser, or if it failed. */
  words?(signal: AbortSignal): Promise<readonly SpokenWord[] | null>;
  /** The part of the video that the model sees, unless it sees the whole. */
  part: VideoPart | null;
  /** Whether to look at the times of an answer again, and correct them. `auto`: for less money. */
  secondLook: SecondLook;
  /** Whether to complete the lists of moments window by window. */
  completesLists: boolean;
  /** How long gathering the evidence may take, in milliseconds, and its largest size as JSON; null for no evidence. */
  evidence: { ms: number; maxBytes: number } | null;
};

/** An accepted answer. `findings`: what the second look found about its times, if there was one. */
export type CheckedAnswer = ConformingAnswer & { findings?: SecondLookFindings };

/** The end of the job's time is reserved for storing the answer. */
const settleMs = 15_000;
/** A clip that is cut for its sound needs few pictures. */
const soundFramesPerSecond = 1;
/** Nobody looks at the pictures of a clip that is heard. One in ten seconds costs a tenth. */
const heardFramesPerSecond = 0.1;
/** The evidence of an answer costs at most this many times its price. For a short video a cent may be more. */
const evidenceBudget = { factor: 1.5, least: 0.01 };

/** Returns how to open the checks that a job wants; undefined if it wants none. */
export function prepareChecks(deps: ChecksDeps, job: JobToCheck): OpenChecks | undefined {
  const { cutClip } = deps;
  const hasPasses = cutClip !== null && (job.secondLook !== "off" || job.completesLists);
  if (!hasPasses && job.evidence === null) return undefined;
  const { part, deadline } = job;
  const runInThread = runInThreadsOf(deps.sandbox);
  const checked = { ...job, seen: part ?? { fromMs: 0, toMs: job.durationMs } };
  return (ask) => {
    const clips = cutClip && { ...deps, ask, cutClip, runInThread };
    const passes: Passes = {
      secondLooks:
        clips && job.secondLook !== "off"
          ? openSecondLooks({ ...clips, openWitness: witnessesOf(deps, job) }, checked, job.secondLook)
          : null,
      completions:
        clips && job.completesLists
          ? openListCompletions(clips, { ...checked, isLookedAtTwice: job.secondLook !== "off" })
          : null,
    };
    let firstPass: TokenCount | undefined;
    let best: JudgedAnswer | null = null;
    // Replaces the dollars that are reserved for this attempt by the spent ones.
    let settleAttempt: ((spent: number) => void) | undefined;
    return {
      async review({ written, tokens, attemptMs, isLast, ...fresh }) {
        firstPass ??= tokens;
        if (tokens) settleAttempt?.(tokens.dollars);
        const { text, findings, ...faults } = await improveAnswer(passes, { text: fresh.text, tokens });
        const answer = { ...fresh, text, ...(findings && { findings, secondLook: countVerdicts(findings) }) };
        const wrong = wrongTimes(findings);
        if (!best || wrong < best.wrong) best = { answer, wrong };
        // Without time or budget for another attempt, the job keeps this conforming answer instead of failing.
        const hasTime = deadline.getTime() - steadyNow() > 2 * attemptMs;
        const isOver = faults.violations.length === 0 || !hasTime || isLast;
        settleAttempt = isOver ? undefined : passes.secondLooks?.reserveAttempt();
        if (!settleAttempt) return { answer: best.answer, failed: null };
        const failed = part ? { ...byWholeClock(faults, part), answer: written } : { ...faults, answer: text };
        return { answer: best.answer, failed };
      },
      async prove(answer) {
        const evidence = await evidenceOf(deps, job, ask, { ...answer, firstPass });
        return evidence ? { ...answer, evidence } : answer;
      },
    };
  };
}

/** Returns how to open a witness of the times of an answer: the words that are said, once a job, and the texts on the screen. */
function witnessesOf(
  { sandbox, readScreens, log }: Pick<ChecksDeps, "sandbox" | "readScreens" | "log">,
  { jobId, ...job }: JobToCheck,
) {
  const runInThread = runInThreadsOf(sandbox);
  return async (dataText: string, claims: readonly TimeClaim[], run: VideoRun): Promise<Witness | undefined> => {
    try {
      const words = (await job.words?.(run.signal)) ?? [];
      const asked = { dataText, pointers: claims.map(({ pointer }) => pointer), words };
      return openWitness(await runInThread("findBeside", asked, run.signal), {
        ...{ readScreens, durationMs: job.durationMs, searches: job.secondLook === "times" },
        compare: (texts, { signal }) => runInThread("compareWords", texts, signal),
      });
    } catch (error) {
      log.warn({ jobId, err: error }, "times not measured");
      return undefined;
    }
  };
}

/** The passes of a job over a conforming answer. Null: the job does not have this pass. */
type Passes = { completions: ListCompletions | null; secondLooks: SecondLooks | null };

type AnswerAndPrice = { text: string; tokens: TokenCount | undefined };

/** Completes the lists of a conforming answer, and takes a second look at its times. */
async function improveAnswer(
  { completions, secondLooks }: Passes,
  answer: AnswerAndPrice,
): Promise<Omit<SecondLookResult, "findings"> & Partial<SecondLookResult>> {
  if (completions && secondLooks) return await lookAtCompleted({ completions, secondLooks }, answer);
  if (secondLooks) return await secondLooks.take(answer);
  const completed = await completions?.complete(answer);
  return { text: completed?.text ?? answer.text, violations: [], violationsForCaller: [] };
}

const maxRounds = 3;

/**
 * Completes the lists of an answer and takes a second look at it. An added item that the second look does not see is
 * removed again. It does not count as a violation, because the item is not from the model's first answer.
 */
export async function lookAtCompleted(
  { completions, secondLooks }: { completions: ListCompletions; secondLooks: SecondLooks },
  answer: AnswerAndPrice,
): Promise<SecondLookResult> {
  for (let round = 1; round <= maxRounds; round++) {
    const completed = await completions.complete(answer);
    const looked = await secondLooks.take({ text: completed.text, tokens: answer.tokens });
    const wrong = completed.added.filter(({ pointer }) => {
      const times = [...looked.findings].filter(([at]) => at === pointer || at.startsWith(`${pointer}/`));
      const verdicts = times.map(([, { verdict }]) => verdict);
      return verdicts.includes("contradicted") || !verdicts.some((it) => it === "confirmed" || it === "moved");
    });
    if (wrong.length === 0) return looked;
    completions.reject(wrong);
  }
  return secondLooks.take(answer);
}

/** A conforming answer, and how many of its times a second look contradicts or did not check. */
type JudgedAnswer = { answer: CheckedAnswer; wrong: number };

function wrongTimes(findings: SecondLookFindings = new Map()): number {
  return [...findings.values()].filter(({ verdict }) => verdict === "contradicted" || verdict === "not_checked").length;
}

type Faults = Pick<SecondLookResult, "violations" | "violationsForCaller">;

/** A model that sees a part of the video counts from the start of the part, and the contradictions do not. */
function byWholeClock({ violations, violationsForCaller }: Faults, { fromMs }: VideoPart): Faults {
  const note = ` (by the clock of the longer video, at ${timestampText(fromMs)} of which the clip starts)`;
  return { violations: violations.map((violation) => violation + note), violationsForCaller };
}

/**
 * Gathers the evidence of an answer before the answer is stored, because the video is deleted afterwards, here and at
 * the provider. Ends well before the deadline of the job, and never rejects.
 */
async function evidenceOf(
  { cutClip, hearsSound, readScreens, sandbox, log }: ChecksDeps,
  job: JobToCheck,
  ask: Ask,
  answer: CheckedAnswer & { firstPass: TokenCount | undefined },
): Promise<Evidence | undefined> {
  const { jobId, schema, instructions, durationMs, shifts, part, signal, evidence } = job;
  if (evidence === null) return undefined;
  const seen = part ?? { fromMs: 0, toMs: durationMs };
  const runInThread = runInThreadsOf(sandbox);
  const budget = openBudget(answer.firstPass, seen.toMs - seen.fromMs, evidenceBudget);
  const checks: EvidenceChecks = {
    readScreens,
    compare: (words, run) => runInThread("compareWords", words, run.signal),
    async hear(span, run) {
      if (!job.hasSound) return "";
      const words = await job.words?.(run.signal);
      if (words) return spokenWithin(words, span);
      if (!cutClip || !hearsSound) return null;
      const { bytes, mimeType } = await cutClip(span, soundFramesPerSecond, run.signal);
      const durationMs = span.toMs - span.fromMs;
      const clip = { bytes, mimeType, durationMs, framesPerSecond: heardFramesPerSecond, isHeard: true };
      return hearClip({ ask, budget }, clip, run);
    },
    askVisual: cutClip && ((clips, run) => askClips({ ask, cutClip, log }, clips, { jobId, ...run })),
    async checkTimes(run) {
      if (answer.findings) return { findings: answer.findings, isCorrected: true };
      if (!cutClip) return { findings: new Map(), isCorrected: false };
      // A frame costs time of a processor, and evidence reads enough of them for its quotes.
      const openWitness = witnessesOf({ sandbox, log, readScreens: async () => null }, job);
      const looks = { ask, cutClip, sandbox, log, openWitness };
      const findings = await lookAtTimes(looks, { jobId, schema, seen, shifts }, answer.text, { ...run, budget });
      return { findings, isCorrected: false };
    },
  };
  const budgetMs = Math.min(evidence.ms, job.deadline.getTime() - steadyNow() - settleMs);
  const doubtful = [...(answer.findings ?? [])].flatMap(([at, { verdict }]) => (verdict === "confirmed" ? [] : [at]));
  const times = answer.findings ? [...answer.findings.keys()] : await timesOf();
  const texts = { dataText: answer.text, schemaText: schema.fullText, instructions };
  const limits = { maxBytes: evidence.maxBytes, budgetMs, signal };
  return gatherEvidence(
    { ask, checks, runInThread, budget, log },
    { jobId, ...texts, doubtful, times, durationMs, clip: part, ...limits },
  );

  /** Returns the pointers of the times. Without them, evidence is still worth gathering. */
  async function timesOf(): Promise<string[]> {
    const claims = await sandbox.findTimes(schema, answer.text, seen.toMs, signal).catch(() => []);
    return claims.map(({ pointer }) => pointer);
  }
}
