import { expect, test } from "vitest";
import { createTimeline, type Packet } from "./timeline.ts";

type TestPacket = Partial<Packet> & { pts: number | null };

function lengthOf(packets: readonly TestPacket[], broadcast = false, streams = [0]): number {
  const timeline = createTimeline({ broadcast });
  for (const packet of packets)
    timeline.add({ stream: 0, dts: packet.pts, duration: 1, bytes: 1, discarded: false, ...packet });
  return timeline.total(streams);
}

const steps = (start: number, count: number, stream = 0): TestPacket[] =>
  Array.from({ length: count }, (_, index) => ({ stream, pts: start + index }));

test("the length of a stream is from its first start to its last end", () => {
  expect(lengthOf(steps(100, 5))).toBe(5);
});

test("pictures out of order end with the latest one", () => {
  const packets = [0, 3, 1, 2].map((pts, dts) => ({ pts, dts }));
  expect(lengthOf(packets)).toBe(4);
});

test("a packet that is decoded but not shown has no length", () => {
  expect(lengthOf([{ pts: -50, discarded: true }, ...steps(0, 3)])).toBe(3);
});

test("the length of several streams is from the first start to the last end", () => {
  expect(lengthOf([...steps(0, 3), ...steps(5, 4, 1)], false, [0, 1])).toBe(9);
});

test("a stream that is not selected has no length", () => {
  expect(lengthOf([...steps(0, 3), ...steps(0, 40, 1)], false, [0])).toBe(3);
});

test("a fall of time starts a new segment, and segments add up", () => {
  expect(lengthOf([...steps(1000, 5), ...steps(0, 4)])).toBe(9);
});

test("segments of a broadcast shorter than a second add up", () => {
  const piece = [0, 0.3, 0.6].map((pts) => ({ pts, duration: 0.3 }));
  expect(lengthOf([...piece, ...piece, ...piece], true)).toBeCloseTo(2.7);
});

test("pictures of a broadcast that are shown out of order start no segment", () => {
  const order = [0, 0.9, 0.3, 0.6];
  expect(
    lengthOf(
      order.map((pts) => ({ pts, dts: null, duration: 0.3 })),
      true,
    ),
  ).toBeCloseTo(1.2);
  expect(
    lengthOf(
      order.map((pts, index) => ({ pts, dts: index * 0.3 - 0.6, duration: 0.3 })),
      true,
    ),
  ).toBeCloseTo(1.2);
});

test("a jump ahead is a gap in a file", () => {
  expect(lengthOf([...steps(0, 5), ...steps(100, 5)])).toBe(105);
});

test("a jump ahead is a discontinuity in a broadcast", () => {
  expect(lengthOf([...steps(0, 5), ...steps(100, 5)], true)).toBe(10);
});

test("streams that start far apart in a broadcast do not add up", () => {
  expect(lengthOf([...steps(0, 5), ...steps(5000, 7, 1)], true, [0, 1])).toBe(7);
});

test("a last picture without a duration lasts as long as the step before it", () => {
  expect(lengthOf([0, 0.5, 1].map((pts) => ({ pts, duration: null })))).toBe(1.5);
});

test("a last picture without a duration after a long gap lasts a second at most", () => {
  expect(lengthOf([0, 18].map((pts) => ({ pts, duration: null })))).toBe(19);
});

test("packets without time stamps are counted and have no length", () => {
  const timeline = createTimeline({ broadcast: false });
  timeline.add({ stream: 0, pts: null, dts: null, duration: null, bytes: 7, discarded: false });
  expect(timeline.stream(0)).toEqual({ packets: 1, bytes: 7, summedSeconds: 0, seconds: 0 });
  expect(timeline.total([0])).toBe(0);
});

test("packets before the first time stamp last as long as they say, as those of Matroska below zero", () => {
  const untimed = Array.from({ length: 3 }, () => ({ pts: null }));
  expect(lengthOf(untimed)).toBe(3);
  expect(lengthOf([...untimed, ...steps(0, 2)])).toBe(5);
  expect(lengthOf([...untimed, ...steps(0, 2), ...untimed])).toBe(5);
  expect(lengthOf([...untimed, ...steps(0, 2)], true)).toBe(2);
});

test("sums of packets do not depend on time stamps and exclude packets that are not shown", () => {
  const timeline = createTimeline({ broadcast: false });
  const packet = { stream: 0, dts: null, duration: 2, bytes: 100 };
  for (const pts of [0, 1, 2]) timeline.add({ ...packet, pts, discarded: pts === 0 });
  expect(timeline.stream(0)).toEqual({ packets: 2, bytes: 200, summedSeconds: 4, seconds: 3 });
});

test("the start is the first time stamp, or 0 once the clock restarts", () => {
  const timeline = createTimeline({ broadcast: false });
  const add = (pts: number) => timeline.add({ stream: 0, pts, dts: pts, duration: 1, bytes: 1, discarded: false });
  for (const pts of [10, 11, 12]) add(pts);
  expect(timeline.start([0])).toBe(10);
  add(0);
  expect(timeline.start([0])).toBe(0);
});

test("a last picture of a broadcast without display time is shown as long after decoding as the first", () => {
  const times = [0.6, 0.7, null, null].map((pts, index) => ({ pts, dts: 0.5 + index / 10, duration: 0.1 }));
  expect(lengthOf(times, true)).toBeCloseTo(0.4);
});
