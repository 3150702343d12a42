import { expect, test } from "vitest";
import { compareWords } from "./compare-words.ts";

test.each([
  ["東京都に行く", "京都"],
  ["インドネシア", "インド"],
  ["北アイルランド", "アイルランド"],
  ["入口", "口"],
  ["볼리비아", "리비아"],
  ["인도네시아", "인도"],
  ["เปิด", "ปิด"],
  ["กี่", "ก"],
])("a screen with %s neither confirms nor denies %s, which is a part of its word", (screen, quote) => {
  expect(compareWords({ text: screen, quote })).toMatchObject({ found: false, differs: false });
});

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const codes = letters.flatMap((first) => letters.map((second) => first + second));

/** Returns the names of countries and other regions in a language, as ICU writes them. */
function regionsIn(language: string): string[] {
  const names = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
  const all = codes.flatMap((code) => names.of(code) ?? []);
  return [...new Set(all)].filter((name) => !/[（(]/.test(name));
}

test.each<[string, string[]]>([
  ["ja", ["次は#です", "会場は#の近く", "#から来ました", "#代表と日本代表"]],
  ["zh", ["我在#工作", "他来自#", "#和法国的比赛", "欢迎来到#"]],
  ["ko", ["#에서 왔습니다", "나라: #", "#와 일본", "#의 수도", "#입니다"]],
  ["th", ["ไป#พรุ่งนี้", "ทีม#ชนะ", "อยู่ใน#"]],
])("a name, as ICU writes it in %s, is found inside a sentence that has no space beside it", (language, sentences) => {
  const missed = regionsIn(language).flatMap((name) =>
    sentences
      .map((sentence) => sentence.replace("#", name))
      .filter((text) => !compareWords({ text, quote: name }).found),
  );
  expect(missed).toEqual([]);
});

test.each(["en", "fr", "es", "ru", "zh", "zh-Hant", "ja", "th", "ko", "ar", "he", "hi", "vi"])(
  "a name of a country in %s is not found in a longer name of a country",
  (language) => {
    const names = regionsIn(language);
    const pairs = names.flatMap((name) =>
      names.filter((other) => other !== name && other.includes(name)).map((other) => [name, other]),
    );
    expect(pairs.length).toBeGreaterThan(5);
    expect(pairs.filter(([quote = "", text = ""]) => compareWords({ text, quote }).found)).toEqual([]);
  },
);

test.each([
  ["Bus 42A", "Bus 42"],
  ["Gate 12b", "Gate 12"],
  ["A320neo", "A320"],
  ["Room 101-A", "Room 101"],
  ["Rated PG-13", "Rated PG"],
  ["Vitamin B-12", "Vitamin B"],
  ["two hundred and five people", "two hundred"],
  ["A 5 mW laser", "5 MW"],
  ["512 Gb of flash", "512 GB"],
  ["ไม่อร่อย", "อร่อย"],
  ["Level 1O", "Level 1"],
])("a screen with %j does not confirm %j, which is only a part of it or another unit", (screen, quote) => {
  expect(compareWords({ text: screen, quote }).found).toBe(false);
});

test.each([
  ["GMT+2", "GMT-2"],
  ["UTC-05:00", "UTC+05:00"],
  ["45+2'", "45'"],
])("a screen with %j denies %j", (screen, quote) => {
  expect(compareWords({ text: screen, quote })).toMatchObject({ found: false, differs: true });
});

test.each([
  ["Bus 42 A new line", "Bus 42"],
  ["On May 14th", "May 14"],
  ["A COVID-19-Impfung", "COVID-19"],
  ["第3名", "第3"],
  ["AREA: 5MW", "5 MW"],
  ["8 gb", "8 GB"],
  ["5 MIN", "5 min"],
  ["Sudan: a history", "Sudan"],
  ["Chelsea-3 Arsenal-1", "Chelsea"],
  ["GMT 2", "GMT+2"],
  ["12V DC", "12"],
])("a screen with %j confirms %j", (screen, quote) => {
  expect(compareWords({ text: screen, quote }).found).toBe(true);
});
