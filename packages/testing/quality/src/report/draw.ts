import type { Bin } from "../score/score.ts";

/** A group of bars: its name, and one bar for each series. Shares are from 0 to 1; undefined leaves the bar out. */
export type BarGroup = { name: string; bars: (number | undefined)[] };

const inks = ["#9aa5b1", "#2f6fb3", "#1f9d6b", "#c77d1e", "#8a5bb5", "#b3434f"];
const [left, top, plot, bar] = [44, 46, 180, 15];

/** Returns a bar chart as SVG. */
export function drawBars(title: string, series: readonly string[], groups: readonly BarGroup[]): string {
  const groupWidth = Math.max(64, series.length * bar + 26);
  const width = Math.max(420, left + groups.length * groupWidth + 20);
  const yOf = (share: number) => top + plot * (1 - share);
  const inkOf = (index: number) => inks[index % inks.length];
  const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line x1="${left}" x2="${width - 10}" y1="${yOf(share)}" y2="${yOf(share)}" stroke="#ddd"/>`,
    label(left - 6, yOf(share) + 4, "end", `${share * 100} %`),
  ]);
  const legend = series.flatMap((name, index) => [
    `<rect x="${left + index * 110}" y="24" width="10" height="10" fill="${inkOf(index)}"/>`,
    label(left + index * 110 + 14, 33, "start", name),
  ]);
  const drawn = groups.flatMap(({ name, bars }, group) => {
    const middle = left + (group + 0.5) * groupWidth;
    const rects = bars.flatMap((share, index) => {
      if (share === undefined) return [];
      const at = `x="${middle + (index - series.length / 2) * bar}" y="${yOf(share).toFixed(1)}"`;
      const size = `width="${bar - 2}" height="${(plot * share).toFixed(1)}"`;
      return [`<rect ${at} ${size} fill="${inkOf(index)}"><title>${percent(share)}</title></rect>`];
    });
    return [...rects, label(middle, top + plot + 16, "middle", name)];
  });
  return svg(title, width, top + plot + 34, [...lines, ...legend, ...drawn]);
}

/** Returns a share as percent, with one decimal. */
export function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;
}

/**
 * Returns the reliability curve as SVG: how often leaves are right, by their confidence. On the diagonal, confidence
 * and reality agree.
 */
export function drawReliability(title: string, bins: readonly Bin[]): string {
  const [side, margin] = [320, 40];
  const x = (share: number) => margin + share * (side - 2 * margin);
  const y = (share: number) => side - x(share);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const points = bins.map(({ confidence, right, count }) => {
    const place = `cx="${x(confidence).toFixed(1)}" cy="${y(right).toFixed(1)}"`;
    const what = `confidence ${confidence.toFixed(2)}, right ${right.toFixed(2)}, ${count} leaves`;
    const radius = (3 + 7 * Math.sqrt(count / most)).toFixed(1);
    return `<circle ${place} r="${radius}" fill="#2f6fb3" fill-opacity="0.7"><title>${what}</title></circle>`;
  });
  const ticks = [0, 0.5, 1].flatMap((share) => [
    label(x(share), side - margin + 16, "middle", String(share)),
    label(margin - 8, y(share) + 4, "end", String(share)),
  ]);
  return svg(title, side, side, [
    `<path d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}" stroke="#999" stroke-dasharray="4 3"/>`,
    ...[...points, ...ticks, label(side / 2, side - 6, "middle", "confidence")],
    label(margin, margin - 6, "start", "share that is right"),
  ]);
}

function svg(title: string, width: number, height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`;
  const background = `<rect width="${width}" height="${height}" fill="#fff"/>`;
  return `${[head, background, label(left, 16, "start", title), ...parts, "</svg>"].join("\n")}\n`;
}

function label(x: number, y: number, anchor: string, raw: string): string {
  const style = `text-anchor="${anchor}" font-family="sans-serif" font-size="11" fill="#333"`;
  return `<text x="${x}" y="${y}" ${style}>${escapeXml(raw)}</text>`;
}

function escapeXml(raw: string): string {
  return raw.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
