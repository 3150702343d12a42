import { describe, expect, test } from "vitest";
import { insertByTime, type ListEvent, newEvents, wordsOfValues } from "./merge-events.ts";

const part = { fromMs: 0, toMs: 300_000 };
const left = { fromMs: 0, toMs: 120_000 };
const right = { fromMs: 100_000, toMs: 220_000 };

function event(seconds: number, says = "", endSeconds?: number): ListEvent {
  const words = new Set(says.split(" ").filter((word) => word !== ""));
  const endMs = endSeconds === undefined ? null : endSeconds * 1000;
  return { text: `${says}@${seconds}`, startMs: seconds * 1000, endMs, words };
}

const added = (first: ListEvent[], inLeft: ListEvent[], inRight: ListEvent[] = []) => {
  const windows = [
    { window: left, events: inLeft },
    { window: right, events: inRight },
  ];
  return newEvents(first, windows, part).map(({ text }) => text);
};

const inWords = (seconds: number, what: string): ListEvent => ({
  ...event(seconds),
  text: what,
  words: wordsOfValues(JSON.stringify({ what })),
});

test.each([
  ["English", "a red circle appears on the left", "a red circle appears on the right", "the ball bounces"],
  ["Chinese", "红色的圆形出现在左边", "红色的圆形出现在右边", "球弹了三次"],
  ["Japanese", "赤い円が左側に現れる", "赤い円が右側に現れる", "ボールが三回弾む"],
  ["Thai", "วงกลมสีแดงปรากฏทางซ้าย", "วงกลมสีแดงปรากฏทางขวา", "ลูกบอลเด้งสามครั้ง"],
  ["Hindi", "लाल गोला बाईं ओर दिखता है", "लाल गोला दाईं ओर दिखता है", "गेंद तीन बार उछलती है"],
])(
  "in %s, a report with most of the words is the same event, and a nearer one with others is not",
  (...[, one, alike, other]) => {
    expect(added([inWords(30, one)], [inWords(34, other), inWords(36, alike)])).toEqual([other]);
  },
);

describe("at the seam of two windows", () => {
  test("an event that both show is added once, even if they differ by a second or in the words", () => {
    expect(added([], [event(110, "goal Ada")], [event(110, "goal Ada")])).toEqual(["goal Ada@110"]);
    expect(added([], [event(110, "goal Ada")], [event(111, "goal Ada")])).toEqual(["goal Ada@110"]);
    expect(added([], [event(110, "goal")], [event(111, "a shot goes in")])).toEqual(["goal@110"]);
  });

  test("two events that are near each other both count", () => {
    const both = [event(108, "goal Ada"), event(111, "foul Bo")];
    expect(added([], both, both)).toEqual(["goal Ada@108", "foul Bo@111"]);
    const alike = [event(108), event(111)];
    expect(added([], alike, alike)).toEqual(["@108", "@111"]);
  });

  test("an event that a window cuts off comes from the window that shows it whole", () => {
    expect(added([], [event(112, "song", 120)], [event(112, "song", 131)])).toEqual(["song@112"]);
    expect(added([], [event(112, "song", 120)], [event(113, "song", 131)])).toEqual(["song@113"]);
    expect(added([], [event(90, "song", 110)], [event(100, "song", 110)])).toEqual(["song@90"]);
  });

  test("times outside its window do not count", () => {
    expect(added([], [event(150, "x")], [event(20, "y")])).toEqual([]);
  });
});

describe("against the first answer", () => {
  test("no event that it lists is added again, although its times are off by seconds", () => {
    expect(added([event(30, "goal Ada"), event(48, "foul Bo")], [event(24, "goal Ada"), event(50, "foul Bo")])).toEqual(
      [],
    );
  });

  test("an event in other words and seconds off is added only if its window shows the listed item as well", () => {
    expect(added([event(30, "goal Ada")], [event(35, "a shot goes in")])).toEqual([]);
    const both = [event(30, "goal Ada"), event(35, "a shot goes in")];
    expect(added([event(30, "goal Ada")], both)).toEqual(["a shot goes in@35"]);
  });

  test("one of its items matches one event only", () => {
    expect(added([event(30, "beep")], [event(30, "beep"), event(36, "beep")])).toEqual(["beep@36"]);
  });

  test("events that a window reports out of order are in order of time", () => {
    expect(added([], [event(60, "foul Bo"), event(30, "goal Ada")])).toEqual(["goal Ada@30", "foul Bo@60"]);
  });

  test("an event that a window reports twice is added once", () => {
    expect(added([], [event(30, "goal Ada"), event(31, "goal Ada")])).toEqual(["goal Ada@30"]);
  });
});

test("events come into a list by time; a list in reverse order stays so, and to one without order they are added", () => {
  const texts = (list: ListEvent[]) => list.map(({ startMs }) => startMs / 1000);
  expect(texts(insertByTime([event(10), event(50)], [event(5), event(30), event(60)]))).toEqual([5, 10, 30, 50, 60]);
  expect(texts(insertByTime([event(50), event(10)], [event(30), event(60)]))).toEqual([60, 50, 30, 10]);
  expect(texts(insertByTime([], [event(3), event(4)]))).toEqual([3, 4]);
  expect(texts(insertByTime([event(10), event(10)], [event(10), event(5)]))).toEqual([5, 10, 10, 10]);
  expect(texts(insertByTime([event(30), event(10), event(20)], [event(15)]))).toEqual([30, 10, 20, 15]);
});
