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
  data?: unknown;
};

type Comparison = {
  beside?: readonly [what: string, measured: number];
  most?: number | undefined;
  ratio?: { most?: number; least?: number } | undefined;
};

/** Returns a figure with what it is compared to. */
export function figure(what: string, unit: string, measured: number, { beside, most, ratio }: Comparison = {}): Figure {
  return {
    ...{ what, unit, measured },
    ...(beside && { beside: { what: beside[0], measured: beside[1] } }),
    ...(most !== undefined && { goal: { of: "measured", most } }),
    ...(ratio && { goal: { of: "ratio", ...ratio } }),
  };
}

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

export function figureTable(figures: readonly Figure[]): string[][] {
  return [["", "measured", "beside it", "ratio", "goal", ""], ...figures.map(rowOf)];
}

export function markdownTable(figures: readonly Figure[]): string[] {
  const [head = [], ...rows] = figureTable(figures);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

function rowOf(figure: Figure): string[] {
  const { what, unit, measured, beside, goal } = figure;
  const ratio = ratioOf(figure);
  const met = isMet(figure);
  return [
    what,
    `${short(measured)} ${unit}`.trim(),
    beside ? `${short(beside.measured)} ${unit} (${beside.what})` : "",
    ratio === undefined ? "" : `× ${ratio.toFixed(2)}`,
    goal ? goalText(goal, unit) : "",
    met === undefined ? "" : met ? "met" : "MISSED",
  ];
}

function goalText({ of, most, least }: NonNullable<Figure["goal"]>, unit: string): string {
  const value = (limit: number) => (of === "ratio" ? `× ${limit.toFixed(2)}` : `${limit} ${unit}`.trim());
  return [least !== undefined && `≥ ${value(least)}`, most !== undefined && `≤ ${value(most)}`]
    .filter(Boolean)
    .join(", ");
}

/** Writes a number with three significant digits, and never as a power of ten. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "not measured";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  if (value === 0) return "0";
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
}
