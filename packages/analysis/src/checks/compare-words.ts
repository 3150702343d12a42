import { languages } from "@video-to-json/contract/languages";
import { hasAddresses } from "./addresses.ts";
import { haveSamePhone, likeCode, sameCode } from "./codes.ts";
import { isBeforeUnits, once, powerOfTen, smallNumbers } from "./number-words.ts";
import { fold, formsOf, maxCharacters, plain, segmenter, type Token, type Tokens, tokensOf } from "./tokens.ts";

/** A quote with `isNumber` is a number as JSON writes it, without zeros at its end. */
type Comparison = { text: string; quote: string; isNumber?: boolean };

/** What a reading of a screen, or of what was said, says about words that should be there. */
export type Reading = {
  /** Whether the words are there. Null if they have no letters or digits. */
  found: boolean | null;
  /** The text at that place, if it differs from the words. Null if nothing there is like them. */
  read: string | null;
  /** The same place has another number, sign or negation. */
  differs: boolean;
};

const maxQuoteCharacters = 300;
const maxReadCharacters = 300;

/**
 * Words that turn the meaning of the next one around; a part of "can't" is one. Words that often have another meaning are not here,
 * such as the Vietnamese "không", which is also the air of an airline.
 */
const negations = new Set(
  (
    "not no never none without non cannot nicht kein keine ohne nie pas sans jamais ne sin nunca nao sem senza niet geen " +
    "zonder bez inte ej utan ikke ikkje uden uten nem nincs tidak bukan tanpa нет не без ні δεν μη μην χωρις " +
    "לא אין בלי ללא لا لم لن ليس غير بدون नहीं बिना 不 没 沒 无 無 非 未"
  ).split(" "),
);
/** Short words that decide what a number means. */
const halvesOfDay = new Set(["am", "pm"]);

/**
 * Compares words with a text. Ignores case, accents, punctuation and white space, but not in addresses. Digits, signs and
 * negations must be the same; programs misread letters, so letters of words may look alike. For use inside the sandbox only.
 */
export function compareWords({ text, quote: whole, isNumber }: Comparison): Reading {
  const quote = whole.slice(0, maxQuoteCharacters);
  const wanted = tokensOf(plain(quote));
  const source = text.slice(0, maxCharacters);
  const inText = plain(source);
  const there = tokensOf(inText);
  if (wanted.length === 0) return { found: null, read: null, differs: false };
  const isExact = once(() => hasAddresses(source, quote));
  const wordStarts = once(() => new Set([...segmenter.segment(inText)].map(({ index }) => index)));
  let [denied, unsure]: (Found | undefined)[] = [];
  for (let at = 0; at < there.length; at++) {
    const end = endOfMatch(wanted, there, at);
    if (end === undefined) continue;
    const around = inText.slice(Math.max(0, (there[at]?.from ?? 0) - 2), (there[end - 1]?.to ?? 0) + 2);
    const hasOtherUnit = hasOther(unit, quote, around);
    const isPart = isCutOff(there, [at, end], inText);
    const hasOtherOffset = hasOther(offset, plain(quote), inText.slice(there[at]?.from, there[end - 1]?.to));
    if (isNegated(there, at, inText) || hasOtherUnit || hasOtherOffset || isPart)
      denied ??= { from: hasOtherUnit ? at : Math.max(0, at - 1), to: isPart ? end + 1 : end, differs: true };
    // Readers confuse such symbols, and the marks of an address, so a different one denies nothing.
    else if (
      hasOther(symbol, plain(quote), around) ||
      !isExact() ||
      hasSuffix(there, [at, end], inText) ||
      hasOtherCase(quote, source) ||
      isInLongerName(inText, [there[at]?.from ?? 0, there[end - 1]?.to ?? 0]) ||
      cutsWord(there, [at, end], inText, wordStarts) ||
      mayBeOtherNumber(there[at] as Token, inText) ||
      (!isNumber && hasOtherZeros(wanted, there.slice(at, end), around))
    )
      unsure ??= { from: at, to: end, differs: false };
    else return { found: true, read: null, differs: false };
  }
  const best = denied ?? unsure ?? likeCode(wanted, there) ?? nearest(wanted, there);
  if (!best) return { found: false, read: null, differs: false };
  const ends = [there[best.from]?.from ?? 0, there[best.to - 1]?.to ?? inText.length] as const;
  return { found: false, read: asWritten(source, ends), differs: best.differs && !haveSamePhone(wanted, there) };
}

/** The tokens in place of the wanted ones, and whether they deny them. */
type Found = { from: number; to: number; differs: boolean };

/** Returns a part of a text as it stands there, from its places in the plain text. */
function asWritten(source: string, [from, to]: readonly [number, number]): string {
  const lengthTo = (end: number) => plain(source.slice(0, end)).length;
  const start = firstWhere(source.length, (end) => lengthTo(end + 1) > from);
  const end = firstWhere(source.length, (end) => lengthTo(end) >= to);
  const accents = /^\p{M}*/u.exec(source.slice(end))?.[0].length ?? 0;
  return source
    .slice(start, end + accents)
    .replace(/\s+/g, " ")
    .slice(0, maxReadCharacters);
}

/** Returns the first number up to `most` for which a condition holds, which holds for all later ones too. */
function firstWhere(most: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the place that has most of the wanted words. Called when no place has all of them. */
function nearest(wanted: Tokens, there: Tokens): Found | undefined {
  let best: (Found & { same: number }) | undefined;
  for (let from = 0; from + wanted.length <= there.length; from++) {
    const pairs = wanted.map((token, index) => [token, there[from + index] as Token] as const);
    const others = pairs.filter(([token, other]) => !isSame(token, other));
    const same = pairs.length - others.length;
    const differs = others.every(([token, other]) => isDenial(token, other)) && (same > 0 || areAlike(pairs));
    if (2 * same < pairs.length && !differs) continue;
    if (!best || same > best.same || (same === best.same && differs && !best.differs))
      best = { same, from, to: from + wanted.length, differs };
  }
  return best;
}

/** Returns whether two different tokens deny each other: other numbers or signs, or one of them is a negation. */
function isDenial(token: Token, other: Token): boolean {
  if (token.isNumber || other.isNumber) return token.isNumber && other.isNumber;
  if (/[-+#]$/.test(token.word) && /[-+#]$/.test(other.word)) return true;
  const isExact = ({ word }: Token) => isNegation(word) || halvesOfDay.has(word);
  return isExact(token) || isExact(other);
}

/** A number alone is denied by a number like it: of the same form with half of the digits, or with the same digits. */
function areAlike([pair]: (readonly [Token, Token])[]): boolean {
  if (!pair) return false;
  const [a, b] = pair.map(({ word }) => word) as [string, string];
  const form = (word: string) => word.replace(/\d/g, "0");
  const digits = (word: string) => word.replace(/\D/g, "");
  const same = [...a].filter((digit, index) => /\d/.test(digit) && b[index] === digit).length;
  return digits(a) === digits(b) || (form(a) === form(b) && 2 * same >= digits(a).length);
}

/** Returns the index after the last token of a match that begins at `at`. Programs lose and invent spaces in words. */
function endOfMatch(wanted: Tokens, there: Tokens, at: number, from = 0): number | undefined {
  const token = wanted[from];
  if (!token) return at;
  const other = there[at];
  if (!other) return undefined;
  if (isSame(token, other)) return endOfMatch(wanted, there, at + 1, from + 1);
  const code = sameCode(wanted, from, there, at);
  if (code) return endOfMatch(wanted, there, code.there, code.wanted);
  if (isSame(token, joinedNumber(there, at))) return endOfMatch(wanted, there, at + 2, from + 1);
  if (isSame(joinedNumber(wanted, from), other)) return endOfMatch(wanted, there, at + 1, from + 2);
  const joined = (list: Tokens, start: number, count: number) =>
    list.slice(start, start + count).reduce((word, each) => word + each.word, "");
  for (const count of [2, 3]) {
    const word = joined(there, at, count);
    if (!token.isNumber && at + count <= there.length && looksLike(fold(token.word), fold(word)))
      return endOfMatch(wanted, there, at + count, from + 1);
    const isWord = wanted.slice(from, from + count).every(({ isNumber }) => !isNumber);
    if (isWord && from + count <= wanted.length && looksLike(fold(joined(wanted, from, count)), fold(other.word)))
      return endOfMatch(wanted, there, at + 1, from + count);
  }
  return undefined;
}

/** Returns a number and the next one as one number, "3-2", where they join; undefined elsewhere. */
function joinedNumber(list: Tokens, at: number): Token | undefined {
  const [token, next] = [list[at], list[at + 1]];
  if (!token?.joint || !next?.isNumber) return undefined;
  return { ...next, forms: formsOf(token.word + token.joint + next.word.replace("-", "")) };
}

/** Returns whether the match is only a part of a word, "H2O2" or "sugar-free", or of a number, "5 million", "45+2" or "twenty-five". */
function isCutOff(there: Tokens, [at, end]: [number, number], inText: string): boolean {
  const [last, next] = [there[end - 1], there[end]];
  if (last?.to === next?.from && next?.isNumber && /[a-z]$/.test(last?.word ?? "")) return true;
  if (next?.word === "free" && inText[next.from - 1] === "-") return true;
  if (last?.isNumber && /^\+\d/.test(inText.slice(last.to))) return true;
  const before = there[at - 1]?.word === "and" ? there[at - 2] : there[at - 1];
  const after = next?.word === "and" ? there[end + 1] : next;
  return isOneNumber(last, after, inText) || (!isLarge(there[at]) && isOneNumber(before, there[at], inText));
}

/** Returns whether the match is a name that continues: "Bus 42" in "Bus 42A", "Room 101" in "Room 101-A", "PG" in "PG-13". */
function hasSuffix(there: Tokens, [at, end]: [number, number], inText: string): boolean {
  const [last, next] = [there[end - 1], there[end]];
  const gap = inText.slice(last?.to, next?.from);
  if (!last || !next || !/^-?$/.test(gap)) return false;
  if (!last.isNumber) return next.isNumber && /^[a-z]{1,2}$/.test(last.word);
  const isName = end - at > 1 && !ordinalEnding.test(next.word) && /^[a-zа-яα-ω]/.test(next.word);
  return isName && (gap === "" || next.word.length === 1);
}

const ordinalEnding = /^(?:st|nd|rd|th|er|eme)$/;

/** Returns whether the match begins or ends within a word of a script without spaces: 東京都 does not name 京都. */
function cutsWord(there: Tokens, [at, end]: [number, number], inText: string, wordStarts: () => Set<number>): boolean {
  const [from, to] = [there[at]?.from ?? 0, there[end - 1]?.to ?? 0];
  const [before, after] = [inText.slice(Math.max(0, from - 1), from + 1), inText.slice(to - 1, to + 1)];
  if (thaiSyllable.test(before) || thaiSyllable.test(after) || hangul.test(before)) return true;
  if (hangul.test(after) && !koreanEnding.test(inText.slice(to, to + 12))) return true;
  const edges = [
    ...(insideWord.test(before) && !particle.test(before.charAt(0)) ? [from] : []),
    ...(insideWord.test(after) && !particle.test(after.charAt(1)) ? [to] : []),
  ];
  return edges.some((edge) => !wordStarts().has(edge));
}

const insideWord = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]{2}$/u;
/** Words of one character. The segmenter may join them with the next word: 和 is "and", and 和文 is "Japanese text". */
const particle = /[和与與及或的在是はがをにでとやのもへ]/;
const hangul = /^\p{Script=Hangul}{2}$/u;
/** What Korean writes after a name without a space: 서울에서 is "from Seoul", and 인도네시아 is not 인도. */
const koreanEnding =
  /^(?:은|는|이|가|을|를|의|에|에서|에게|께|도|로|으로|와|과|랑|만|까지|부터|보다|처럼|마다|나|라|이나|이라|고|입니다|이다|이에요|예요|씨|님|들|역|시|군|구|인|어|팀)+(?!\p{Script=Hangul})/u;
/** A Thai vowel beside its consonant, before it or after it. */
const thaiSyllable = /^[เแโใไ]\p{Script=Thai}$|^\p{Script=Thai}[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]$/u;

/** Returns whether two words are one number: "5 million", "twenty-five", "two hundred", "hundred and five", "十二". */
function isOneNumber(one: Token | undefined, other: Token | undefined, inText: string): boolean {
  const gap = inText.slice(one?.to, other?.from);
  if (!one || !other || !(/^[ -]?$/.test(gap) || (gap === " and " && isLarge(one)))) return false;
  if (hanNumeral.test(one.word) && hanNumeral.test(other.word)) return gap === "";
  const isSmall = ({ word }: Token) => smallNumbers.includes(word) || isBeforeUnits(word);
  if (isLarge(other, gap)) return one.isNumber || isSmall(one);
  if (gap === "-" && isBeforeUnits(one.word)) return true;
  return isSmall(other) && (isLarge(one) || (isBeforeUnits(one.word) && smallNumbers.indexOf(other.word) < 10));
}

function isLarge(token: Token | undefined, gap = " "): boolean {
  return token?.word === "hundred" || (token !== undefined && powerOfTen(token.word, gap) !== undefined);
}

const hanNumeral = /^[〇零一二三四五六七八九十百千万亿萬億]$/;
/** Returns whether a negation right before the match turns it around, which the wanted words do not have. */
function isNegated(there: Tokens, at: number, inText: string): boolean {
  const [before, first] = [there[at - 1], there[at]];
  const gap = inText.slice(before?.to, first?.from);
  // After a comma, a full stop or a line break, other words begin.
  if (!before || !first || !/^[ '"“„«(-]*$/.test(gap)) return false;
  if (thaiNegation.test(inText.slice(0, first.from))) return true;
  if (!isNegation(before.word) && !(gap === "-" && ["un", "ex", "anti"].includes(before.word))) return false;
  // "No. 5" is a count, not a negation.
  return !(before.word === "no" && first.isNumber);
}

const thaiNegation = /ไม่$/;
/** A word for a negative sign, before a number. "Au moins 4" means at least four, and "8 minus 4" is a difference. */
const minus =
  /(?:(?<!\p{L}|\d |\b(?:au|du|al|ao|lo|pelo) )(?:minus|negative|moins|menos|meno|минус|мінус|minusz|miinus|eksi|μειον) |マイナス|零下|영하 ?|负|負)$/u;

/** Returns whether what is around a number may make another one of it: four is not "minus four", and 1990 is not "the 1990s". */
export function mayBeOtherNumber({ isNumber, word, from, to }: Token, inText: string): boolean {
  if (/^\d{3}0$/.test(word) && /^'?s/.test(inText.slice(to, to + 2))) return true;
  const isCount = isNumber || smallNumbers.includes(word) || isBeforeUnits(word);
  return isCount && minus.test(inText.slice(Math.max(0, from - 20), from));
}

/** Returns whether decimals end with other zeros: version 3.10 is not version 3.1. Amounts of money are the same. */
function hasOtherZeros(wanted: Tokens, there: Tokens, around: string): boolean {
  const endings = (tokens: Tokens) =>
    tokens.flatMap(({ word }) => /[.,](?!\d{3}$)\d*[1-9](0*)$/.exec(word)?.[1] ?? []).join(" ");
  return !/\p{Sc}/u.test(around) && endings(wanted) !== endings(there);
}

/** Returns whether the match is the name of a country within a longer one: "Sudan" in "South Sudan", 印度 in 印度尼西亚. */
function isInLongerName(inText: string, [from, to]: readonly [number, number]): boolean {
  const name = inText.slice(from, to);
  return countries().some(
    (names) =>
      names.has(name) &&
      [...names].some((other) => {
        const before = other.indexOf(name);
        return before >= 0 && other !== name && inText.startsWith(other, from - before);
      }),
  );
}

/** The names of the countries in each language. */
const countries = once(() => {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const namesIn = (language: string) => new Intl.DisplayNames(language, { type: "region", fallback: "none" });
  const english = namesIn("en");
  const known = pairs.filter((code) => english.of(code));
  return [...languages, "zh-Hant"].map((language) => {
    const names = namesIn(language);
    return new Set(known.map((code) => plain(names.of(code) ?? code)));
  });
});

/** Returns whether the text has a unit of the quote in another case only: 5 mW is not 5 MW. */
function hasOtherCase(quote: string, source: string): boolean {
  const there: readonly string[] = source.match(casedUnit) ?? [];
  return (quote.match(casedUnit) ?? []).some(
    (wanted) => !there.includes(wanted) && there.some((unit) => unit.toLowerCase() === wanted.toLowerCase()),
  );
}

/** Milliwatts and megawatts, bits and bytes. Many people write "gb" for both. */
const casedUnit = /(?<=\d ?)(?:[mM](?:W|V|Hz|J|Pa|Wh|Ω)|[KMGT]i?[bB](?:ps|\/s)?)(?!\p{L})/gu;
const unit = /[%‰]|\p{Sc}/gu;
/** The sign between a name and its number: GMT+2 is not GMT-2. */
const offset = /(?<=\p{L})[-+](?=\d)/gu;
/** Signs of comparison, arrows, suits and others. Readers often see a bar that is not there. */
const symbol = /(?!\p{Sc}|\p{Sk}|[+|])\p{S}/gu;

/** Returns whether a text has signs of a kind, and none of those of the quote. Programs miss such signs. */
function hasOther(kind: RegExp, quote: string, inText: string): boolean {
  const [wanted, there] = [new Set(quote.match(kind)), new Set(inText.match(kind))] as const;
  return wanted.size > 0 && there.size > 0 && ![...wanted].some((sign) => there.has(sign));
}

function isNegation(word: string): boolean {
  return (
    negations.has(word) || /n't$|^(?:ca|wo|do(?:es)?|did|is|are|was|were|has|have|had|(?:c|w|sh)ould)nt$/.test(word)
  );
}

function isSame(token: Token | undefined, other: Token | undefined): boolean {
  if (!token || !other || token.isNumber !== other.isNumber) return false;
  if (token.isNumber) return token.forms.some((form) => other.forms.includes(form));
  const [a = "", b = ""] = [token.forms[0], other.forms[0]];
  return looksLike(a, b) || a === b.replace(attachedAnd, "");
}

/** Arabic and Hebrew write "and" as the first letter of the next word. */
const attachedAnd = /^[\u0648\u05d5](?=\p{L}{3})/u;

const shortestMisread = 6;
/** Consonants of nearly the same form, which a reader takes for each other in a longer word. */
const similar = new Set("bh fl ft".split(" "));
/** A folded Roman numeral, in which i is l. */
const romanNumeral = /^[vxlcdm]+$/;

/**
 * Returns whether a folded word may be a misread form of another. Beyond letters that look alike, a word of six letters may have
 * one consonant of a similar form, or miss one of two equal letters. Any other letter makes another name: Iceland is not Ireland.
 */
function looksLike(a: string, b: string): boolean {
  if (a === b) return true;
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a];
  if (shorter.length < shortestMisread || longer.length > shorter.length + 1 || romanNumeral.test(a)) return false;
  let at = 0;
  while (longer[at] === shorter[at]) at++;
  if (at === 0) return false;
  if (longer.length > shorter.length)
    return longer[at] === longer[at - 1] && longer.slice(at + 1) === shorter.slice(at);
  const letters = [longer[at], shorter[at]].toSorted().join("");
  return similar.has(letters) && longer.slice(at + 1) === shorter.slice(at + 1);
}
