/** What a reading of a screen, or of what was said, says about words that should be there. */
export type Reading = {
  /** Whether the words are there. Null if they have no letters or digits. */
  found: boolean | null;
  /** The text at that place, if it differs from the words. Null if nothing there is like them. */
  read: string | null;
  /** The same place has another number, sign or negation. */
  differs: boolean;
};

/** A word, a number, or a character of a script without spaces, and its place in the text. */
type Token = {
  word: string;
  isNumber: boolean;
  /** The forms of a number, or the word with one letter for those that look alike. */
  forms: readonly string[];
  from: number;
  to: number;
  /** What makes this number and the next one into one number: "-" in "3 - 2", "3 : 2" and "3 2", "/" in "3 / 4". */
  joint: string | undefined;
};

type Tokens = readonly Token[];

/** The search reads only this much of a text: more than fits on a screen, or is said in half a minute. */
const maxCharacters = 6_000;
const maxQuoteCharacters = 300;
const maxReadCharacters = 300;

const codes = "usd|eur|gbp|jpy|cny|chf|aud|inr|brl|krw|mxn";
/** A currency may stand between a sign and its number, "-$42" and "-USD 42", or before both, "EUR-42". */
const currency = `(?:\\p{L}{0,3} ?\\p{Sc}\\p{L}{0,2}|%|${codes}) ?`;
const sign = `(?:(?:(?<![\\p{L}\\p{N}])|(?<=(?<!\\p{L})(?:${codes})))[-+](?:${currency})?)?`;
/** The point of ".5" begins the number, and "½" is one number. Accounts write "42.00-" for -42. */
export const numeral = `${sign}(?:(?<![\\p{L}\\p{N}.])\\.)?\\p{Nd}+(?:[.,:/⁄'-]\\p{Nd}+| \\p{Nd}{3}(?!\\p{Nd}))*(?:(?<=[.,]\\p{Nd}\\p{Nd})-(?![\\p{L}\\p{N}]))?`;
/** Scripts that put no spaces between words: each character is a word. */
export const alone = "\\p{Script=Hangul}|\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Thai}";
/** A grade, a blood group, a programming language: "A+", "C#". */
const signed = "(?<![\\p{L}\\p{N}])\\p{L}(?:\\+{1,2}|#|-)(?![\\p{L}\\p{N}])";
const tokens = new RegExp(`${numeral}|${alone}|${signed}|\\p{L}+n't(?!\\p{L})|(?:(?!${alone})\\p{L}\\p{M}*)+`, "gu");

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
 * Compares words with a text. Ignores case, accents, punctuation and white space. Digits, signs and negations must be
 * the same; programs misread letters, so letters of words may look alike. For use inside the sandbox only.
 */
export function compareWords({ text, quote }: { text: string; quote: string }): Reading {
  const wanted = tokensOf(plain(quote.slice(0, maxQuoteCharacters)));
  const source = text.slice(0, maxCharacters);
  const inText = plain(source);
  const there = tokensOf(inText);
  if (wanted.length === 0) return { found: null, read: null, differs: false };
  let denied: Found | undefined;
  for (let at = 0; at < there.length; at++) {
    const end = endOfMatch(wanted, there, at);
    if (end === undefined) continue;
    const around = inText.slice(Math.max(0, (there[at]?.from ?? 0) - 2), (there[end - 1]?.to ?? 0) + 2);
    const hasOtherUnit = isOtherUnit(quote, around);
    const isPart = isCutOff(there, [at, end], inText);
    if (!isNegated(there, at, inText) && !hasOtherUnit && !isPart) return { found: true, read: null, differs: false };
    denied ??= { from: hasOtherUnit ? at : Math.max(0, at - 1), to: isPart ? end + 1 : end, differs: true };
  }
  const best = denied ?? nearest(wanted, there);
  if (!best) return { found: false, read: null, differs: false };
  const ends = [there[best.from]?.from ?? 0, there[best.to - 1]?.to ?? inText.length] as const;
  return { found: false, read: asWritten(source, ends), differs: best.differs };
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

/** Returns what stands where most of the words are, if not all of them are there. */
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

/** Returns whether the match has only a part of a word such as "H2O2", or of a number such as "5 million" or "twenty-five". */
function isCutOff(there: Tokens, [at, end]: [number, number], inText: string): boolean {
  const [last, next] = [there[end - 1], there[end]];
  if (last?.to === next?.from && next?.isNumber && /[a-z]$/.test(last?.word ?? "")) return true;
  return isOneNumber(last, next, inText) || (!isLarge(there[at]) && isOneNumber(there[at - 1], there[at], inText));
}

/** Returns whether two words are one number: "5 million", "twenty-five", "two hundred", "hundred five", "十二". */
function isOneNumber(one: Token | undefined, other: Token | undefined, inText: string): boolean {
  const gap = inText.slice(one?.to, other?.from);
  if (!one || !other || !/^[ -]?$/.test(gap)) return false;
  if (hanNumeral.test(one.word) && hanNumeral.test(other.word)) return gap === "";
  const isSmall = ({ word }: Token) => smallNumbers.includes(word) || tens.includes(word);
  if (isLarge(other, gap)) return one.isNumber || isSmall(one);
  return isSmall(other) && (isLarge(one) || (tens.includes(one.word) && smallNumbers.indexOf(other.word) < 10));
}

function isLarge(token: Token | undefined, gap = " "): boolean {
  return token?.word === "hundred" || (token !== undefined && powerOfTen(token.word, gap) !== undefined);
}

const smallNumbers =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const hanNumeral = /^[〇零一二三四五六七八九十百千万亿萬億]$/;
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** Returns how people say a whole number below a hundred in English; undefined for any other. */
export function spokenNumber(value: number): string | undefined {
  const small = smallNumbers[value < 20 ? value : value % 10];
  return value < 20 ? small : [tens[Math.floor(value / 10) - 2], ...(value % 10 ? [small] : [])].join(" ") || undefined;
}

/** Returns whether a negation right before the match turns it around, which the wanted words do not have. */
function isNegated(there: Tokens, at: number, inText: string): boolean {
  const [before, first] = [there[at - 1], there[at]];
  const gap = inText.slice(before?.to, first?.from);
  // After a comma, a full stop or a line break, other words begin.
  if (!before || !first || !/^[ '"“„«(-]*$/.test(gap)) return false;
  if (!isNegation(before.word) && !(before.word === "un" && gap === "-")) return false;
  // "No. 5" is a count, not a negation.
  return !(before.word === "no" && first.isNumber);
}

/** Returns whether a text has a sign of currency or of parts, and not one of those of the quote. Programs miss such signs. */
function isOtherUnit(quote: string, inText: string): boolean {
  const unitsIn = (text: string): string[] => text.match(/[%‰]|\p{Sc}/gu) ?? [];
  const [wanted, there] = [unitsIn(quote), unitsIn(inText)];
  return wanted.length > 0 && there.length > 0 && !wanted.some((unit) => there.includes(unit));
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

/**
 * Returns the forms of a number: "1.250,50", "1250.5" and India's "1,25,000" have one in common with what they mean. "1.500" may
 * be 1500, so it is not 1.5.
 */
export function formsOf(word: string): string[] {
  const positive = word.replace(/^\+/, "").replace(/^(-?)\./, "$10.");
  const text = positive.replaceAll(":", "-").replaceAll("⁄", "/");
  const forms = [text];
  const [, whole, mark = "", decimals] =
    /^(-?\d{1,3}(?:([., '])(?:\d{2,3}\2)*\d{3}))(?:(?!\2)[.,](\d+))?$/.exec(text) ?? [];
  if (whole !== undefined) forms.push(`${whole.replaceAll(mark, "")}${decimals === undefined ? "" : `.${decimals}`}`);
  return forms.map((form) =>
    /^-?(?:0|\d+(?![.,]\d{3}$))[.,]\d+$/.test(form) ? form.replace(",", ".").replace(/\.?0+$/, "") : form,
  );
}

/** Letters that a program takes for each other. A digit in a word is such a letter. */
const lookalikes: readonly (readonly [RegExp, string])[] = [
  [/rn/g, "m"],
  [/vv/g, "w"],
  [/cl/g, "d"],
  [/ці/g, "щ"],
  [/0/g, "o"],
  [/[1i|]/g, "l"],
  [/5/g, "s"],
  [/8/g, "b"],
  [/[9q]/g, "g"],
  [/2/g, "z"],
];
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

function fold(word: string): string {
  return lookalikes.reduce((folded, [letters, letter]) => folded.replace(letters, letter), word);
}

/** Returns a text with one form for each letter, hyphen and apostrophe. Breaks between lines stay. */
export function plain(text: string): string {
  return plainMarks(text.toLowerCase()).replace(/[ßæœłøđı×]/g, (letter) => plainLetters[letter] ?? letter);
}

/** Returns a text with one form for each hyphen, apostrophe and digit. Letters keep their case. */
export function plainMarks(text: string): string {
  return text
    .replace(/(?<=\p{Nd}) ?[¼½¾]/gu, (part) => fractions[part.trim()] ?? part)
    .normalize("NFKD")
    .slice(0, 2 * maxCharacters)
    .replace(optionalMarks, "")
    .normalize("NFKC")
    .replace(/(?![0-9])\p{Nd}/gu, digitOf)
    .replaceAll("\u066b", ".")
    .replace(/[\u066c\u060c]/g, ",")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018\u2019\u02bc]/g, "'");
}

/** Accents, and points of Hebrew and Arabic: people leave them out. Other marks are vowels, or make another letter. */
const optionalMarks = /\p{Cf}|[\u05f3\u05f4]|(?![\u3099\u309a])(?=[\p{Script=Inherited}\p{Script=Hebrew}])\p{M}/gu;

const fractions: Record<string, string> = { "¼": ".25", "½": ".5", "¾": ".75" };
/** Letters whose accents Unicode does not separate, and the sign that people type as x. */
const plainLetters: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ł: "l", ø: "o", đ: "d", ı: "i", "×": "x" };

/** Returns the Latin digit of a digit in another script. Unicode has tens of digits, some of them side by side. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10);
}

export function tokensOf(text: string): Token[] {
  return [...text.matchAll(tokens)].map(({ 0: found, index }) => {
    const isNumber = /\p{Nd}/u.test(found);
    const word = isNumber ? withoutCurrency(found) : found;
    const forms = isNumber ? formsOf(word) : [fold(word.replace("'", ""))];
    const to = index + found.length;
    const [gap] = (isNumber && /^(?: ?[-/] ?| : | )(?=\p{Nd})/u.exec(text.slice(to, to + 5))) || [];
    return { word, isNumber, forms, from: index, to, joint: gap && (gap.includes("/") ? "/" : "-") };
  });
}

/** Returns "-42" for "-$42", and "-42.00" for "42.00-". */
export const withoutCurrency = (found: string) => found.replace(/^([-+])[^\d.]+/, "$1").replace(/^(.*)-$/, "-$1");

/** The languages in which people write dates and large numbers. Croatian is not among them: its October is November in Polish. */
export const languages =
  "en de fr es it pt nl ru pl uk tr sv da nb fi ja zh ko ar he hi id vi cs hu ro el bg ca sk sl sr lt lv et fa ms th".split(
    " ",
  );

/** Returns the power of ten by which a word multiplies the number before it. A letter does so only where it touches the number. */
export function powerOfTen(word: string, gap: string): number | undefined {
  return word.length > 1 || gap === "" ? powersOfTen().get(plain(word)) : undefined;
}

const abbreviations = { k: 3, tsd: 3, tys: 3, тыс: 3, mio: 6, mln: 6, млн: 6, bn: 9, mrd: 9, mld: 9, млрд: 9 };

/** The powers of ten by word. A word of several languages has its meaning in the first of them. */
const powersOfTen = once(() => {
  const powers = new Map<string, number>(Object.entries(abbreviations));
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
