import { type Evidence, type Leaf, leavesOf, saysNothing, unavailableEvidence } from "@video-to-json/contract";
import { absentPointers } from "./absent-pointers.ts";
import type { VisualFinding } from "./check-visual.ts";
import type { Reading } from "./compare-words.ts";
import type { Claim, ClaimedSpan } from "./evidence-question.ts";
import { judgeField } from "./judge-field.ts";
import type { SecondLookFindings } from "./judge-times.ts";

/** The findings about the times of an answer, by pointer. A leaf without a finding is not a time. */
export type TimeChecks = {
  findings: SecondLookFindings;
  /** Whether a second look has written its moves into the answer. */
  isCorrected: boolean;
};

/** What the model says about the leaves of an answer, and what the checks found. `times`: null if they were not checked. */
export type FoundEvidence = {
  claims: ReadonlyMap<string, Claim>;
  times: TimeChecks | null;
  quotes: ReadonlyMap<ClaimedSpan, Reading>;
  /** By pointer, what two looks say about visible values. */
  visual: ReadonlyMap<string, VisualFinding>;
  isComplete: boolean;
};

type Written = {
  jobId: string;
  /** The answer, and the schema that it conforms to (the full JSON Schema), as JSON texts. */
  dataText: string;
  schemaText: string;
  durationMs: number;
  /** The largest size of the evidence, in bytes of JSON. */
  maxBytes: number;
  /** Null if nothing was found. */
  found: FoundEvidence | null;
};

const maxValueLength = 1_000;
/** The largest part of the evidence that absent keys take. */
const shareOfAbsent = 1 / 8;

/**
 * Returns the leaves of an answer that the model is asked about, with the starts of long texts: first those beside a time that
 * is in doubt, then numbers and texts with digits, because models misread digits most. For use inside the sandbox only.
 */
export function leavesToAsk({
  dataText,
  maxBytes,
  doubtful,
}: Pick<Written, "dataText" | "maxBytes"> & { doubtful: readonly string[] }): Leaf[] {
  const parents = new Set(doubtful.map(parentOf));
  const rank = ({ pointer, value }: Leaf) => (parents.has(parentOf(pointer)) ? 0 : /\d/.test(String(value)) ? 1 : 2);
  return leavesOf(JSON.parse(dataText), maxBytes)
    .filter(saysSomething)
    .map(({ pointer, value }) => ({
      pointer,
      value: typeof value === "string" ? value.slice(0, maxValueLength) : value,
    }))
    .sort((a, b) => rank(a) - rank(b));
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/**
 * Writes the evidence of an answer. A leaf whose findings do not fit is `not_checked`. For use inside the sandbox only.
 */
export function writeEvidence({ jobId, dataText, schemaText, durationMs, maxBytes, found }: Written): Evidence {
  const data: unknown = JSON.parse(dataText);
  const absent = absentPointers(JSON.parse(schemaText), data, shareOfAbsent * maxBytes);
  const nothing: Evidence = { ...unavailableEvidence({ jobId, data, durationMs, maxBytes }), absent };
  if (!found) return nothing;
  const leaves = leavesOf(data, maxBytes).filter(saysSomething);
  const fields = { ...nothing.fields };
  const whole = new Set<string>();
  const { claims, times, quotes, visual } = found;
  let left = maxBytes - sizeOf(nothing);
  let isComplete = found.isComplete && Object.keys(fields).length === leaves.length;
  for (const leaf of leaves) {
    const { pointer } = leaf;
    const claim = claims.get(pointer);
    const time = times?.findings.get(pointer);
    // A time is a moment, even if the model says otherwise.
    if (claim?.isWholeVideo && !time) {
      delete fields[pointer];
      whole.add(pointer);
      continue;
    }
    const field = judgeField(leaf, {
      claim,
      time,
      isCorrected: times?.isCorrected ?? false,
      found: quotes,
      visual: visual.get(pointer),
      durationMs,
    });
    const bytes = sizeOf(field) - sizeOf(fields[pointer]);
    if (bytes > left) isComplete = false;
    else {
      left -= bytes;
      fields[pointer] = field;
    }
  }
  const whole_video = leavesOf(data, maxBytes).filter((leaf) => saysNothing(leaf) || whole.has(leaf.pointer));
  const status = isComplete ? "complete" : "partial";
  return { ...nothing, status, fields, whole_video: whole_video.map(({ pointer }) => pointer) };
}

function saysSomething({ value }: Leaf): boolean {
  return typeof value !== "object";
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
