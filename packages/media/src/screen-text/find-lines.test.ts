import { expect, test } from "vitest";
import { findLines, type Line } from "./find-lines.ts";

/** Returns a map on which rectangles are likely text. */
function mapOf(width: number, height: number, lines: readonly Line[]) {
  const values = new Float32Array(width * height);
  for (let at = 0; at < values.length; at++) {
    const [x, y] = [(at % width) + 0.5, Math.floor(at / width) + 0.5];
    values[at] = lines.some((line) => {
      const [cos, sin] = [Math.cos(line.angle), Math.sin(line.angle)];
      const [along, across] = [(x - line.x) * cos + (y - line.y) * sin, (y - line.y) * cos - (x - line.x) * sin];
      return Math.abs(along) <= line.width / 2 && Math.abs(across) <= line.height / 2;
    })
      ? 0.9
      : 0.05;
  }
  return { values, width, height };
}

const degrees = (count: number) => (count * Math.PI) / 180;

test("a tilted line is found with its middle, its angle and room for the tops of its letters", () => {
  const [[line] = []] = findLines(mapOf(200, 120, [{ x: 100, y: 60, width: 90, height: 10, angle: degrees(20) }]));
  expect(line?.x).toBeCloseTo(100, 0);
  expect(line?.y).toBeCloseTo(60, 0);
  expect(line?.angle).toBeCloseTo(degrees(20), 1);
  expect(line?.height).toBeGreaterThan(20);
  expect(line?.width).toBeGreaterThan(100);
});

test("the parts of a row belong together, also on a slope, and rows follow from top to bottom", () => {
  const at = (x: number, y: number) => ({ x, y, width: 40, height: 8, angle: degrees(15) });
  const slope = Math.tan(degrees(15));
  const rows = findLines(mapOf(220, 160, [at(150, 90 + 90 * slope), at(60, 90), at(60, 40), at(150, 40 + 90 * slope)]));
  expect(rows.map((row) => row.map(({ x }) => Math.round(x / 10) * 10))).toEqual([
    [60, 150],
    [60, 150],
  ]);
  expect(rows[0]?.[0]?.y).toBeLessThan(rows[1]?.[0]?.y ?? 0);
});

test("no letter is in two lines: a line of a row ends where the next one begins", () => {
  const near = [30, 76].map((x) => ({ x, y: 30, width: 40, height: 24, angle: 0 }));
  const [[left, right] = []] = findLines(mapOf(140, 60, near));
  expect(left && left.x + left.width / 2).toBeCloseTo(53, 0);
  expect(right && right.x - right.width / 2).toBeCloseTo(53, 0);
});

test("specks are not lines, and at most 30 lines are kept, the largest", () => {
  const speck = { x: 10.5, y: 10.5, width: 2, height: 2, angle: 0 };
  expect(findLines(mapOf(40, 40, [speck]))).toEqual([]);
  const many = Array.from({ length: 80 }, (_, index) => ({
    ...{ x: 20 + 40 * (index % 8), y: 10 + 20 * Math.floor(index / 8), angle: 0 },
    ...{ width: index < 70 ? 20 : 30, height: 6 },
  }));
  const found = findLines(mapOf(330, 210, many)).flat();
  expect(found).toHaveLength(30);
  expect(found.filter(({ width }) => width > 35)).toHaveLength(10);
});

test("a map without text, and one that is text everywhere, end at once", () => {
  expect(findLines(mapOf(64, 64, []))).toEqual([]);
  expect(findLines(mapOf(64, 64, [{ x: 32, y: 32, width: 64, height: 64, angle: 0 }]))).toHaveLength(1);
});
