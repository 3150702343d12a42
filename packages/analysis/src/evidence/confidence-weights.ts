/**
 * What each check adds to the confidence of a field, or takes from it. They start from `base`, and the sum stays between
 * `least` and `most`, because no check is certain. They are fitted to the benchmark of packages/quality where it plants
 * errors that the check can meet (docs/evidence.md).
 */
export const confidenceWeights = {
  base: 0.5,
  least: 0.03,
  most: 0.98,
  /** The narrow clip around a time. */
  clip: { confirmed: 0.2, corrected: 0.45, moved: -0.47, contradicted: -0.4, unconfirmed: -0.15, not_checked: 0 },
  /** A quote, looked for on the frame or in the sound. */
  quote: { found: 0.35, notFound: -0.25 },
  /** A quote that was found contains the value itself. */
  valueQuoted: 0.13,
  /** A later question asked where the video shows the time. The time lies inside, or outside, the place that it named. */
  agreement: { agrees: 0.28, differs: -0.2 },
} as const;
