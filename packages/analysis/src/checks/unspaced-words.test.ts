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

test.each(["ja", "ko"])("of the names in %s that another name contains, most are not found in it", (language) => {
  const names = regionsIn(language);
  const pairs = names.flatMap((name) =>
    names.filter((other) => other !== name && other.includes(name)).map((other) => [name, other]),
  );
  const found = pairs.filter(([quote = "", text = ""]) => compareWords({ text, quote }).found);
  expect(pairs.length).toBeGreaterThan(10);
  expect(found.length / pairs.length).toBeLessThan(0.4);
});
