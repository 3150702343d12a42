/** A line of text in a picture: a rectangle around `x`, `y`, turned by `angle` (radians, clockwise). Lengths in pixels. */
export type Line = { x: number; y: number; width: number; height: number; angle: number };

/** For each pixel, row by row, how likely it is text: 0 to 1. */
export type TextMap = { values: ArrayLike<number>; width: number; height: number };

/** A pixel is text from this likelihood on. An area is a line if its mean likelihood, its pixels and its shorter side are large enough. */
const textFrom = 0.3;
const leastMean = 0.5;
const leastPixels = 12;
const leastSide = 3;
/** The map shows the middle of a line. The line reaches further on each side: its area by its circumference, times this. */
const growth = 1.5;
/** To read a line takes a tenth of a second. tesseract reads pages full of text. */
const maxLines = 30;
const steps = [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => ({ x, y })));
const angles = Array.from({ length: 90 }, (_, index) => ((index - 45) * Math.PI) / 180);

/** Returns the lines of text on a map, in the order in which people read them: by row, and from the left. */
export function findLines(map: TextMap): Line[][] {
  const lines = areasOf(map).flatMap((border) => {
    const { width, height, ...at } = smallestRectangle(border);
    if (Math.min(width, height) < leastSide) return [];
    const more = (growth * width * height) / (width + height);
    return [{ ...at, width: width + more, height: height + more }];
  });
  return rowsOf(lines.sort((a, b) => b.width * b.height - a.width * a.height).slice(0, maxLines));
}

type Point = { x: number; y: number };

/** Returns the border of each area of pixels that are likely text. */
function areasOf({ values, width, height }: TextMap): Point[][] {
  const seen = new Uint8Array(width * height);
  const isText = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < width && y < height && (values[y * width + x] ?? 0) >= textFrom;
  const areas: Point[][] = [];
  for (let first = 0; first < seen.length; first++) {
    if (seen[first] || (values[first] ?? 0) < textFrom) continue;
    seen[first] = 1;
    const left = [first];
    const border: Point[] = [];
    let [pixels, sum] = [0, 0];
    for (let pixel = left.pop(); pixel !== undefined; pixel = left.pop()) {
      const point = { x: pixel % width, y: Math.floor(pixel / width) };
      const around = steps.map((step) => ({ x: point.x + step.x, y: point.y + step.y }));
      pixels++;
      sum += values[pixel] ?? 0;
      if (around.some(({ x, y }) => !isText(x, y))) border.push(point);
      for (const { x, y } of around) {
        const next = y * width + x;
        if (!isText(x, y) || seen[next]) continue;
        seen[next] = 1;
        left.push(next);
      }
    }
    if (pixels >= leastPixels && sum / pixels >= leastMean) areas.push(border);
  }
  return areas;
}

/** Returns the smallest rectangle around points, turned by whole degrees. */
function smallestRectangle(points: readonly Point[]): Line {
  let smallest: Line | undefined;
  for (const angle of angles) {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of points) {
      const [along, across] = [x * cos + y * sin, y * cos - x * sin];
      left = Math.min(left, along);
      right = Math.max(right, along);
      top = Math.min(top, across);
      bottom = Math.max(bottom, across);
    }
    const [width, height] = [right - left + 1, bottom - top + 1];
    if (smallest && smallest.width * smallest.height <= width * height) continue;
    const [along, across] = [(left + right + 1) / 2, (top + bottom + 1) / 2];
    smallest = { x: along * cos - across * sin, y: along * sin + across * cos, width, height, angle };
  }
  return smallest ?? { x: 0, y: 0, width: 0, height: 0, angle: 0 };
}

/** Puts lines that continue each other into one row, also where they are tilted. */
function rowsOf(lines: readonly Line[]): Line[][] {
  const rows: [Line, ...Line[]][] = [];
  for (const line of [...lines].sort((a, b) => a.y - b.y)) {
    const row = rows.find(([first]) => {
      const apart = (line.y - first.y) * Math.cos(first.angle) - (line.x - first.x) * Math.sin(first.angle);
      return Math.abs(apart) < Math.min(first.height, line.height) / 2;
    });
    if (row) row.push(line);
    else rows.push([line]);
  }
  return rows.map((row) => withoutOverlaps(row.sort((a, b) => a.x - b.x)));
}

/** Ends each line where the next one begins, so that no letter is read twice. */
function withoutOverlaps(row: readonly Line[]): Line[] {
  const lines = row.map((line) => ({ ...line }));
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (!next) break;
    const [cos, sin] = [Math.cos(line.angle), Math.sin(line.angle)];
    const apart = (next.x - line.x) * cos + (next.y - line.y) * sin;
    const half = Math.max(0, Math.min((line.width + next.width) / 2 - apart, line.width, next.width)) / 2;
    for (const [one, side] of [
      [line, -1],
      [next, 1],
    ] as const) {
      one.width -= half;
      one.x += (side * half * cos) / 2;
      one.y += (side * half * sin) / 2;
    }
  }
  return lines;
}
