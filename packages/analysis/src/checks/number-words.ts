import { languages } from "@video-to-json/contract/languages";
import { plain } from "./tokens.ts";

export const smallNumbers =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
/** Numbers that their units may follow. Those of French are here because its "six" is that of English: "vingt-six", "cent six". */
const beforeUnits = [
  ...tens,
  ..."vingt trente quarante cinquante soixante septante huitante nonante cent cents mille".split(" "),
];

export function isBeforeUnits(word: string): boolean {
  return beforeUnits.includes(word);
}

/** Returns how people say a whole number below a hundred in English; undefined for any other. */
export function spokenNumber(value: number): string | undefined {
  if (value >= 100) return undefined;
  const small = smallNumbers[value < 20 ? value : value % 10];
  return value < 20 ? small : [tens[Math.floor(value / 10) - 2], ...(value % 10 ? [small] : [])].join(" ") || undefined;
}

/** Returns the power of ten by which a word multiplies the number before it. A letter does so only where it touches the number. */
export function powerOfTen(word: string, gap: string): number | undefined {
  return word.length > 1 || gap === "" ? powersOfTen().get(plain(word)) : undefined;
}

const abbreviations = { k: 3, tsd: 3, tys: 3, тыс: 3, mio: 6, mln: 6, млн: 6, bn: 9, mrd: 9, mld: 9, млрд: 9 };
const indian = { lakh: 5, lakhs: 5, crore: 7, crores: 7 };

/** The powers of ten by word. A word of several languages has its meaning in the first of them. */
const powersOfTen = once(() => {
  const powers = new Map<string, number>(Object.entries({ ...abbreviations, ...indian }));
  for (const language of languages) {
    const format = new Intl.NumberFormat(`${language}-u-nu-latn`, { notation: "compact", compactDisplay: "long" });
    for (let power = 3; power <= 12; power++)
      for (const times of [1, 1.5, 2, 5]) {
        const parts = format.formatToParts(times * 10 ** power);
        const word = plain(parts.find(({ type }) => type === "compact")?.value ?? "");
        const shown = Number(/\d+(?:[.,]\d)?/.exec(format.format(times * 10 ** power))?.[0].replace(",", "."));
        if (word !== "" && shown > 0 && !powers.has(word))
          powers.set(word, Math.round(power + Math.log10(times / shown)));
      }
  }
  // 兆 also begins the Chinese word for mega, and 조 also counts articles of a law and groups in Korean.
  for (const word of ["兆", "조"]) powers.delete(word);
  return powers;
});

/** Returns a function that computes a value at its first call. */
export function once<T>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}
