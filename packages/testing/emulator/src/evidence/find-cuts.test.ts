import { expect, test } from "vitest";
import { findCuts } from "./find-cuts.ts";
import { frameSize } from "./frame-size.ts";
import { createFrameTrack } from "./frame-track.ts";

const bytesOfFrame = frameSize.width * frameSize.height * 3;

function plain(red: number, green: number, blue: number): Buffer {
  const frame = Buffer.alloc(bytesOfFrame);
  for (let at = 0; at < bytesOfFrame; at += 3) frame.set([red, green, blue], at);
  return frame;
}

const many = (count: number, frame: (index: number) => Buffer) =>
  Array.from({ length: count }, (_, index) => frame(index));

function cutsOf(...runs: Buffer[][]): number[] {
  const track = createFrameTrack();
  track.add(Buffer.concat(runs.flat()));
  return findCuts(track.frames);
}

test("a change from one plain colour to another is a cut, even to a similar colour", () => {
  const scenes = [plain(255, 0, 0), plain(255, 165, 0), plain(128, 128, 128), plain(90, 90, 90)];
  expect(cutsOf(...scenes.map((scene) => many(10, () => scene)))).toEqual([10, 20, 30]);
});

test("a fade is not a cut", () => {
  expect(cutsOf(many(30, (index) => plain(index * 8, 0, 255 - index * 8)))).toEqual([]);
});

test("a single flash is not a cut", () => {
  const dark = plain(20, 40, 20);
  expect(
    cutsOf(
      many(10, () => dark),
      [plain(255, 255, 255)],
      many(10, () => dark),
    ),
  ).toEqual([]);
});

test("noise is not a cut, and a cut between two kinds of noise is found", () => {
  let state = 1;
  const noise = (base: number) => () => {
    const frame = Buffer.alloc(bytesOfFrame);
    for (let at = 0; at < bytesOfFrame; at++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      frame[at] = base + ((state >>> 16) % 100);
    }
    return frame;
  };
  expect(cutsOf(many(15, noise(0)), many(15, noise(150)))).toEqual([15]);
});

test("frames can arrive in pieces of any size", () => {
  const track = createFrameTrack();
  const bytes = Buffer.concat([plain(255, 0, 0), plain(0, 0, 255)]);
  for (let at = 0; at < bytes.length; at += 1000) track.add(bytes.subarray(at, at + 1000));
  expect(track.frames.length).toBe(2);
  expect(findCuts(track.frames)).toEqual([1]);
});
