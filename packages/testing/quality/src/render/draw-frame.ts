import type { Show, VideoEvent, VideoPlan } from "../cases/case.ts";
import { type Mark, picture, strip, stripCells } from "./marks.ts";

const colors: Readonly<Record<string, readonly number[]>> = {
  ...{ black: [0, 0, 0], white: [255, 255, 255], gray: [110, 110, 110], red: [220, 20, 20], green: [20, 180, 20] },
  ...{ blue: [40, 60, 230], yellow: [235, 220, 20], magenta: [220, 20, 200], cyan: [20, 210, 220] },
  ...{ orange: [245, 140, 20], navy: [10, 20, 90], darkgreen: [10, 80, 30], maroon: [110, 15, 30] },
  purple: [90, 20, 120],
};

const { width, height } = picture;

/** Returns a function that draws the frame at a time, in rgb24. Text is drawn later, by ffmpeg. */
export function createFrames(plan: VideoPlan, marks: readonly Mark[]): (index: number) => Buffer {
  let drawnStrip = "";
  const frame = Buffer.alloc(width * height * 3);
  return (index) => {
    const atMs = (index * 1000) / picture.perSecond;
    const shows = plan.events.filter((event) => isAt(event, atMs)).flatMap((event) => event.shows);
    const page = shows.findLast((show) => show.kind === "background");
    rectangle(frame, page?.color ?? plan.background, 0, 0, width, strip.top);
    for (const show of shows) if (show.kind === "shape") drawShape(frame, show, atMs);
    const active = marks.filter((mark) => isAt(mark, atMs));
    const shown = markToWrite(active, plan.durationMs, index);
    const key = JSON.stringify([active.map(({ id }) => id), shown?.id]);
    const ids = active.map(({ id }) => id);
    if (key !== drawnStrip) drawStrip(frame, stripCells(ids, shown));
    drawnStrip = key;
    return frame;
  };
}

/** The mark whose text a frame shows is pseudo-random, so that a clip shows every text. Short marks go first. */
function markToWrite(active: readonly Mark[], durationMs: number, index: number): Mark | undefined {
  const hash = Math.imul(index + 1, 2_654_435_761) >>> 0;
  const [whole, short] = [active.filter(isWhole), active.filter((mark) => !isWhole(mark))];
  const chosen = short.length === 0 || (hash >>> 28 === 0 && whole.length > 0) ? whole : short;
  return chosen[(hash >>> 8) % Math.max(1, chosen.length)];

  function isWhole({ startMs, endMs }: Mark): boolean {
    return endMs - startMs === durationMs;
  }
}

function isAt({ startMs, endMs }: Pick<VideoEvent, "startMs" | "endMs">, atMs: number): boolean {
  return startMs <= atMs && atMs < endMs;
}

const shapeSize = 36;

function drawShape(frame: Buffer, { shape, color, moves }: Show & { kind: "shape" }, atMs: number): void {
  const room = width - shapeSize;
  // A moving shape moves back and forth once in eight seconds.
  const phase = (atMs % 8000) / 4000;
  const left = moves ? Math.round(room * (phase < 1 ? phase : 2 - phase)) : Math.round(room / 2);
  const top = strip.top - shapeSize - 26;
  for (let row = 0; row < shapeSize; row += 2) {
    const half = halfWidth(shape, row);
    rectangle(frame, color, left + shapeSize / 2 - half, top + row, half * 2, 2);
  }
}

function halfWidth(shape: "square" | "circle" | "triangle", row: number): number {
  const radius = shapeSize / 2;
  if (shape === "square") return radius;
  if (shape === "triangle") return Math.round(row / 2);
  return Math.round(Math.sqrt(Math.max(0, radius ** 2 - (row - radius) ** 2)));
}

function drawStrip(frame: Buffer, cells: Uint8Array): void {
  const { columns, cell, top } = strip;
  for (const [index, isLight] of cells.entries()) {
    rectangle(
      frame,
      isLight ? "white" : "black",
      (index % columns) * cell,
      top + Math.floor(index / columns) * cell,
      cell,
      cell,
    );
  }
}

/** Fills a rectangle with even edges, because two pixels share a colour in the video. */
function rectangle(frame: Buffer, color: string, left: number, top: number, wide: number, high: number): void {
  const ink = Buffer.from(colors[color] ?? [0, 0, 0]);
  const from = Math.max(0, left & ~1);
  const to = Math.min(width, (left + wide + 1) & ~1);
  if (to <= from) return;
  for (let y = top; y < top + high; y++) frame.fill(ink, (y * width + from) * 3, (y * width + to) * 3);
}
