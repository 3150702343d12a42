import type { EvidenceVerdict } from "@video-to-json/contract";
import { confidenceWeights as weights } from "./confidence-weights.ts";

/** The results of the checks of a field. Undefined or null: the check did not happen. */
export type CheckResults = {
  /** `corrected`: a second look moved the time to where the clip shows it. */
  clip: EvidenceVerdict | "corrected";
  quotes: readonly (boolean | null)[];
  isValueQuoted: boolean;
  agrees: boolean | undefined;
};

/** Returns how likely a field is right, from its checks alone: 0 to 1 with two digits; null without checks. */
export function confidenceOf({ clip, quotes, isValueQuoted, agrees }: CheckResults): number | null {
  const isFound = quotes.includes(true);
  const isQuoteChecked = isFound || quotes.includes(false);
  if (clip === "not_checked" && !isQuoteChecked) return null;
  const sum =
    weights.base +
    weights.clip[clip] +
    (isQuoteChecked ? (isFound ? weights.quote.found : weights.quote.notFound) : 0) +
    (isFound && isValueQuoted ? weights.valueQuoted : 0) +
    (agrees === undefined ? 0 : agrees ? weights.agreement.agrees : weights.agreement.differs);
  return Math.round(Math.min(weights.most, Math.max(weights.least, sum)) * 100) / 100;
}
