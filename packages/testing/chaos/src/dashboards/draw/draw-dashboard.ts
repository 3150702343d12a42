import type { DashboardSpec, PanelSpec } from "../panels.ts";
import { formatValue } from "./format-value.ts";
import type { Line } from "./read-panel.ts";

const width = 1200;
const gap = 12;
const colours = [
  "#7eb26d",
  "#eab839",
  "#6ed0e0",
  "#ef843c",
  "#e24d42",
  "#1f78c1",
  "#ba43a9",
  "#705da0",
  "#508642",
  "#cca300",
];
const maxLines = colours.length;

type Box = { x: number; y: number; width: number; height: number };

/**
 * Draws a dashboard as SVG, from the results of its queries. The drawing is not a picture of Grafana, and says so.
 *
 * @param read returns the lines of a panel.
 * @param caption names the run.
 */
export function drawDashboard(
  spec: DashboardSpec,
  read: (panel: PanelSpec) => readonly Line[],
  caption: string,
): string {
  const parts: string[] = [text(gap, 30, spec.title, 20), text(gap, 52, caption, 12, "#9fa7b3")];
  let y = 70;
  for (const [name, panels] of Object.entries(spec.rows)) {
    parts.push(text(gap, y + 14, name, 14));
    y += 24;
    const isNumbers = panels.every(({ isNumber }) => isNumber);
    const columns = isNumbers ? panels.length : 2;
    const height = isNumbers ? 90 : 210;
    const panelWidth = (width - gap) / columns - gap;
    for (const [index, panel] of panels.entries()) {
      const x = gap + (index % columns) * (panelWidth + gap);
      const box = { x, y: y + Math.floor(index / columns) * (height + gap), width: panelWidth, height };
      parts.push(panel.isNumber ? drawNumber(panel, read(panel), box) : drawLines(panel, read(panel), box));
    }
    y += Math.ceil(panels.length / columns) * (height + gap) + gap;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" font-family="sans-serif">
<rect width="${width}" height="${y}" fill="#111217"/>
${parts.join("\n")}
</svg>
`;
}

function drawNumber({ title, unit }: PanelSpec, lines: readonly Line[], box: Box): string {
  const last = lines[0]?.values.findLast((value) => value !== null);
  const shown = last === undefined || last === null ? "no data" : formatValue(last, unit);
  return frame(box, title) + text(box.x + 10, box.y + 66, shown, 30, "#73bf69");
}

function drawLines({ title, unit }: PanelSpec, lines: readonly Line[], box: Box): string {
  const shown = lines.slice(0, maxLines);
  const plot = { x: box.x + 64, y: box.y + 34, width: box.width - 250, height: box.height - 50 };
  const values = shown.flatMap((line) => line.values.filter((value) => value !== null));
  if (values.length === 0) return frame(box, title) + text(plot.x, plot.y + 50, "nothing in this run", 12, "#9fa7b3");
  const [low, top] = [Math.min(0, ...values), Math.max(...values) || 1];
  const yOf = (value: number) => plot.y + plot.height * (1 - (value - low) / (top - low));
  const axis = [low, (low + top) / 2, top].map((value) => {
    const at = yOf(value);
    const line = `<path d="M${plot.x} ${at.toFixed(0)}h${plot.width.toFixed(0)}" stroke="#2c3235"/>`;
    return line + text(plot.x - 6, at + 4, formatValue(value, unit), 11, "#9fa7b3", "end");
  });
  const drawn = shown.map((line, index) => {
    const at = (step: number) => plot.x + (plot.width * step) / Math.max(1, line.values.length - 1);
    const points = line.values.map((value, step) =>
      value === null
        ? ""
        : `${line.values[step - 1] == null ? "M" : "L"}${at(step).toFixed(0)} ${yOf(value).toFixed(1)}`,
    );
    const path = `<path d="${points.join("")}" fill="none" stroke="${colours[index]}" stroke-width="1.5"/>`;
    return path + text(box.x + box.width - 176, plot.y + 8 + 15 * index, line.legend.slice(0, 30), 11, colours[index]);
  });
  const more = lines.length - shown.length;
  const rest =
    more > 0 ? text(box.x + box.width - 176, plot.y + 8 + 15 * maxLines, `and ${more} more`, 11, "#9fa7b3") : "";
  return [frame(box, title), ...axis, ...drawn, rest].join("");
}

function frame({ x, y, width, height }: Box, title: string): string {
  const edge = `<rect x="${x.toFixed(0)}" y="${y}" width="${width.toFixed(0)}" height="${height}" rx="3" fill="#181b1f"/>`;
  return edge + text(x + 10, y + 20, title, 13);
}

function text(x: number, y: number, content: string, size: number, fill = "#d8d9da", anchor = "start"): string {
  const safe = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${safe}</text>`;
}
