import type { Case } from "../cases/make-case.ts";
import type { CaseResult } from "../run/journal.ts";
import { sumSpent } from "../run/spending.ts";
import {
  compareTimes,
  type EvidenceBody,
  type Judged,
  reliabilityOf,
  type SecondLookScore,
  scoreEvidence,
  sumRatios,
  sumScores,
} from "../score/score.ts";
import { type ScoredAnswer, scoreAnswer } from "../score/score-answer.ts";

/** A row of the report: one column in one mode. Everything but the seconds is the same in each run of the same seeds. */
export type Row = ReturnType<typeof rowOf>;

/** Scores the results of a run: one row for each mode and column, in the order of the results. */
export function summarize(cases: readonly Case[], results: readonly CaseResult[]): Row[] {
  const scored = results.map((result) => ({ result, answer: scoreResult(cases, result) }));
  const groups = Map.groupBy(scored, ({ result }) => JSON.stringify([result.mode, result.column]));
  const first = results[0]?.column;
  return [...groups.values()].map((group) => {
    const { mode = "", column = "" } = group[0]?.result ?? {};
    const base = column === first ? [] : (groups.get(JSON.stringify([mode, first])) ?? []);
    // The order in which the answers came does not count.
    group.sort((a, b) => a.result.id.localeCompare(b.result.id, "en", { numeric: true }));
    return rowOf({ mode, column }, group, base);
  });
}

type Scored = { result: CaseResult; answer: ScoredAnswer & { judged: Judged[] } };

function scoreResult(cases: readonly Case[], result: CaseResult): Scored["answer"] {
  const asked = cases.find(({ id }) => id === result.id);
  if (!asked) throw new Error(`There is no case ${result.id}.`);
  const answer = scoreAnswer(asked.truth, result.data);
  if (!hasFields(result.evidence)) return { ...answer, judged: [] };
  const { hits, judged } = scoreEvidence(answer.leaves, result.evidence);
  answer.score.evidence = hits;
  return { ...answer, judged };
}

function hasFields(evidence: unknown): evidence is EvidenceBody {
  return typeof evidence === "object" && evidence !== null && "fields" in evidence;
}

function rowOf(name: { mode: string; column: string }, group: readonly Scored[], base: readonly Scored[]) {
  const seconds = group.map(({ result }) => result.seconds).sort((a, b) => a - b);
  const judged = group.flatMap(({ answer }) => answer.judged);
  return {
    ...name,
    cases: group.length,
    score: sumScores(group.map(({ answer }) => answer.score)),
    spent: sumSpent(group.map(({ result }) => result.spent)),
    /** The median time of an answer. */
    seconds: seconds[seconds.length >> 1] ?? 0,
    /** The changes relative to the first column, and the additional tokens for each token of the first column. */
    change: base.length === 0 ? undefined : changeOf(group, base),
    ...{ reliability: reliabilityOf(judged), judged },
  };
}

function changeOf(group: readonly Scored[], base: readonly Scored[]) {
  const pairs = group.flatMap((later) => {
    const first = base.find(({ result }) => result.id === later.result.id);
    return first ? [{ first, later }] : [];
  });
  const compared = pairs.map(({ first, later }) => compareTimes(first.answer.times, later.answer.times));
  const sum = (part: keyof SecondLookScore) => sumRatios(compared.map((each) => each[part]));
  const tokens = (side: "first" | "later") => {
    const { inTokens, outTokens } = sumSpent(pairs.map((pair) => pair[side].result.spent));
    return inTokens + outTokens;
  };
  return {
    times: { caught: sum("caught"), corrected: sum("corrected"), moved: sum("moved") },
    identical: pairs.filter(
      ({ first, later }) => JSON.stringify(first.result.data) === JSON.stringify(later.result.data),
    ).length,
    extraTokens: tokens("first") === 0 ? 0 : (tokens("later") - tokens("first")) / tokens("first"),
  };
}
