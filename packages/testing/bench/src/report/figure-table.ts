import { type Figure, isMet, ratioOf } from "./figure.ts";

/** Returns figures as rows of cells, the head first. */
export function figureTable(figures: readonly Figure[]): string[][] {
  return [["", "measured", "beside it", "ratio", "goal", ""], ...figures.map(rowOf)];
}

/** Returns figures as the lines of a table in Markdown. */
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
