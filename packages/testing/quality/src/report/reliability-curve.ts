import type { Bin } from "../score/evidence.ts";

const size = 320;
const margin = 40;
const text = 'font-family="sans-serif" font-size="11" fill="#333"';

/**
 * Returns the reliability curve as SVG: how often leaves are right, by their confidence. On the diagonal, confidence
 * and reality agree.
 */
export function drawReliability(title: string, bins: readonly Bin[]): string {
  const x = (share: number) => (margin + share * (size - 2 * margin)).toFixed(1);
  const y = (share: number) => (size - margin - share * (size - 2 * margin)).toFixed(1);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const points = bins.map(({ confidence, right, count }) => {
    const radius = (3 + 7 * Math.sqrt(count / most)).toFixed(1);
    const label = `confidence ${confidence.toFixed(2)}, right ${right.toFixed(2)}, ${count} leaves`;
    return `<circle cx="${x(confidence)}" cy="${y(right)}" r="${radius}" fill="#2f6fb3" fill-opacity="0.7"><title>${label}</title></circle>`;
  });
  const line = bins.map(({ confidence, right }) => `${x(confidence)},${y(right)}`).join(" ");
  const ticks = [0, 0.5, 1].flatMap((share) => [
    `<text x="${x(share)}" y="${size - margin + 16}" text-anchor="middle" ${text}>${share}</text>`,
    `<text x="${margin - 8}" y="${Number(y(share)) + 4}" text-anchor="end" ${text}>${share}</text>`,
  ]);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img" aria-label="${title}">`,
    `<rect width="${size}" height="${size}" fill="#fff"/>`,
    `<text x="${margin}" y="20" font-family="sans-serif" font-size="13" fill="#111">${title}</text>`,
    `<rect x="${margin}" y="${margin}" width="${size - 2 * margin}" height="${size - 2 * margin}" fill="none" stroke="#ccc"/>`,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="4 3"/>`,
    `<polyline points="${line}" fill="none" stroke="#2f6fb3"/>`,
    ...points,
    ...ticks,
    `<text x="${size / 2}" y="${size - 6}" text-anchor="middle" ${text}>confidence</text>`,
    `<text x="12" y="${size / 2}" text-anchor="middle" transform="rotate(-90 12 ${size / 2})" ${text}>share that is right</text>`,
    "</svg>",
  ].join("\n")}\n`;
}
