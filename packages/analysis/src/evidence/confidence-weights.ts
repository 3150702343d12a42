/**
 * How much each check adds to, or subtracts from, the confidence of a field. The sum starts from `base` and stays
 * between `least` and `most`, because no check is certain. The weights are fitted to the benchmark of packages/testing/quality,
 * in which errors are planted that the checks can detect (docs/evidence.md).
 */
export const confidenceWeights = {
  base: 0.5,
  least: 0.03,
  most: 0.98,
  /** The narrow clip around a time. */
  clip: { confirmed: 0.2, corrected: 0.45, moved: -0.47, contradicted: -0.4, unconfirmed: -0.15, not_checked: 0 },
  /** A quote that was searched on the frame or in the sound. */
  quote: { found: 0.35, notFound: -0.25 },
  /** A quote that was found and contains the value itself. */
  valueQuoted: 0.13,
  /** A later question asked where the video shows the time. The time is in, or outside, the span that it named. */
  agreement: { agrees: 0.28, differs: -0.2 },
} as const;
