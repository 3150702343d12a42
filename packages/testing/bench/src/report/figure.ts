/** One figure of a benchmark: a row of its table. */
export type Figure = {
  what: string;
  /** "s", "ms", "MB/s", "MB", "kB", "jobs/s", … */
  unit: string;
  measured: number;
  /** The figure to compare with, measured in turns and in the same unit. */
  beside?: { what: string; measured: number };
  /** The goal. `ratio` is the figure divided by the other one. */
  goal?: { of: "measured" | "ratio"; most?: number; least?: number };
};

/** The figures of one run of one benchmark. */
export type Measurement = {
  figures: Figure[];
  /** Conditions of the run that the table must name: sizes, builds, numbers of processes. */
  conditions: string[];
  /** Further measurements, for pictures and for the simulation. */
  data?: unknown;
};

/** Returns a figure divided by the one beside it; undefined without one. */
export function ratioOf({ measured, beside }: Figure): number | undefined {
  return beside && measured / beside.measured;
}

/** Returns whether a figure meets its goal; undefined without a goal. */
export function isMet(figure: Figure): boolean | undefined {
  const { goal } = figure;
  if (!goal) return undefined;
  const value = goal.of === "ratio" ? ratioOf(figure) : figure.measured;
  if (value === undefined || !Number.isFinite(value)) return false;
  return value <= (goal.most ?? Number.POSITIVE_INFINITY) && value >= (goal.least ?? Number.NEGATIVE_INFINITY);
}
