import type { Bin } from "../score/evidence.ts";

/** A group of bars: its name, and one bar for each series. Shares are from 0 to 1; undefined leaves the bar out. */
export type BarGroup = { name: string; bars: (number | undefined)[] };

const size = { left: 44, top: 46, plot: 180, bar: 15, gap: 26, bottom: 34 };
const inks = ["#9aa5b1", "#2f6fb3", "#1f9d6b", "#c77d1e", "#8a5bb5", "#b3434f"];
const text = 'font-family="sans-serif" font-size="11" fill="#333"';

/** Returns a bar chart as SVG. */
export function drawBars(title: string, series: readonly string[], groups: readonly BarGroup[]): string {
  const groupWidth = Math.max(64, series.length * size.bar + size.gap);
  const width = Math.max(420, size.left + groups.length * groupWidth + 20);
  const height = size.top + size.plot + size.bottom;
  const yOf = (share: number) => size.top + size.plot * (1 - share);
  const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line x1="${size.left}" x2="${width - 10}" y1="${yOf(share)}" y2="${yOf(share)}" stroke="#ddd"/>`,
    `<text x="${size.left - 6}" y="${yOf(share) + 4}" text-anchor="end" ${text}>${share * 100} %</text>`,
  ]);
  const legend = series.flatMap((name, index) => {
    const x = size.left + index * 110;
    return [
      `<rect x="${x}" y="24" width="10" height="10" fill="${inks[index % inks.length]}"/>`,
      `<text x="${x + 14}" y="33" ${text}>${escapeXml(name)}</text>`,
    ];
  });
  const drawn = groups.flatMap(({ name, bars }, group) => {
    const left = size.left + group * groupWidth + (groupWidth - series.length * size.bar) / 2;
    const middle = left + (series.length * size.bar) / 2;
    return [
      ...bars.flatMap((share, index) => {
        if (share === undefined) return [];
        const at = `x="${left + index * size.bar}" y="${round(yOf(share))}"`;
        const ink = inks[index % inks.length];
        return [
          `<rect ${at} width="${size.bar - 2}" height="${round(size.plot * share)}" fill="${ink}"><title>${percent(share)}</title></rect>`,
        ];
      }),
      `<text x="${middle}" y="${size.top + size.plot + 16}" text-anchor="middle" ${text}>${escapeXml(name)}</text>`,
    ];
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`;
  const background = `<rect width="${width}" height="${height}" fill="#fff"/>`;
  const heading = `<text x="${size.left}" y="16" font-family="sans-serif" font-size="13" fill="#111">${escapeXml(title)}</text>`;
  return `${[head, background, heading, ...lines, ...legend, ...drawn, "</svg>"].join("\n")}\n`;
}

/** Returns a share as percent, with one decimal. */
export function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;
}

function round(value: number): string {
  return value.toFixed(1);
}

function escapeXml(raw: string): string {
  return raw.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const side = 320;
const margin = 40;

/**
 * Returns the reliability curve as SVG: how often leaves are right, by their confidence. On the diagonal, confidence
 * and reality agree.
 */
export function drawReliability(title: string, bins: readonly Bin[]): string {
  const x = (share: number) => (margin + share * (side - 2 * margin)).toFixed(1);
  const y = (share: number) => (side - margin - share * (side - 2 * margin)).toFixed(1);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const points = bins.map(({ confidence, right, count }) => {
    const radius = (3 + 7 * Math.sqrt(count / most)).toFixed(1);
    const label = `confidence ${confidence.toFixed(2)}, right ${right.toFixed(2)}, ${count} leaves`;
    return `<circle cx="${x(confidence)}" cy="${y(right)}" r="${radius}" fill="#2f6fb3" fill-opacity="0.7"><title>${label}</title></circle>`;
  });
  const line = bins.map(({ confidence, right }) => `${x(confidence)},${y(right)}`).join(" ");
  const ticks = [0, 0.5, 1].flatMap((share) => [
    `<text x="${x(share)}" y="${side - margin + 16}" text-anchor="middle" ${text}>${share}</text>`,
    `<text x="${margin - 8}" y="${Number(y(share)) + 4}" text-anchor="end" ${text}>${share}</text>`,
  ]);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" role="img" aria-label="${title}">`,
    `<rect width="${side}" height="${side}" fill="#fff"/>`,
    `<text x="${margin}" y="20" font-family="sans-serif" font-size="13" fill="#111">${title}</text>`,
    `<rect x="${margin}" y="${margin}" width="${side - 2 * margin}" height="${side - 2 * margin}" fill="none" stroke="#ccc"/>`,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="4 3"/>`,
    `<polyline points="${line}" fill="none" stroke="#2f6fb3"/>`,
    ...points,
    ...ticks,
    `<text x="${side / 2}" y="${side - 6}" text-anchor="middle" ${text}>confidence</text>`,
    `<text x="12" y="${side / 2}" text-anchor="middle" transform="rotate(-90 12 ${side / 2})" ${text}>share that is right</text>`,
    "</svg>",
  ].join("\n")}\n`;
}
