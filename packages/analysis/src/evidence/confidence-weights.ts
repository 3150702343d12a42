/**
 * What each check adds to the confidence of a field, or takes from it. They start from `base`, and the sum stays between
 * `least` and `most`, because no check is certain. The benchmark of packages/quality measures how often fields of each
 * confidence are right (docs/evidence.md).
 */
export const confidenceWeights = {
  base: 0.5,
  least: 0.05,
  most: 0.95,
  /** The narrow clip around a time. */
  clip: { confirmed: 0.4, corrected: 0.3, moved: -0.25, contradicted: -0.4, unconfirmed: -0.15, not_checked: 0 },
  /** A quote, looked for on the frame or in the sound. */
  quote: { found: 0.3, notFound: -0.25 },
  /** A quote that was found contains the value itself. */
  valueQuoted: 0.1,
  /** A later question asked where the video shows the time. The time lies inside, or outside, the place that it named. */
  agreement: { agrees: 0.05, differs: -0.2 },
} as const;
