/** A word, a number, or a character of a script without spaces, and its place in the text. */
export type Token = {
  word: string;
  isNumber: boolean;
  /** The forms of a number, or the word with one letter for those that look alike. */
  forms: readonly string[];
  from: number;
  to: number;
  /** What makes this number and the next one into one number: "-" in "3 - 2", "3 : 2" and "3 2", "/" in "3 / 4". */
  joint: string | undefined;
  /** Whether the next number may be the next group of the same code. */
  continues: boolean;
};

export type Tokens = readonly Token[];

/** The search reads only this much of a text: more than fits on a screen, or is said in half a minute. */
export const maxCharacters = 6_000;

const currencyCodes = "usd|eur|gbp|jpy|cny|chf|aud|inr|brl|krw|mxn";
/** A currency may stand between a sign and its number, "-$42" and "-USD 42", or before both, "EUR-42". */
const currency = `(?:\\p{L}{0,3} ?\\p{Sc}\\p{L}{0,2}|%|${currencyCodes}) ?`;
const sign = `(?:(?:(?<![\\p{L}\\p{N}])|(?<=(?<!\\p{L})(?:${currencyCodes})))[-+](?:${currency})?)?`;
/** The point of ".5" begins the number, and "½" is one number. Accounts write "42.00-" for -42. */
export const numeral = `${sign}(?:(?<![\\p{L}\\p{N}.])\\.)?\\p{Nd}+(?:[.,:/⁄'-]\\p{Nd}+| \\p{Nd}{3}(?!\\p{Nd}))*(?:(?<=[.,]\\p{Nd}\\p{Nd})-(?![\\p{L}\\p{N}]))?`;
/** Scripts of which each character is a token. */
export const alone = "\\p{Script=Hangul}|\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Thai}";
/** A grade, a blood group, a programming language: "A+", "C#". */
const signed = "(?<![\\p{L}\\p{N}])\\p{L}(?:\\+{1,2}|#|-)(?![\\p{L}\\p{N}])";
const tokens = new RegExp(`${numeral}|${alone}|${signed}|\\p{L}+n't(?!\\p{L})|(?:(?!${alone})\\p{L}\\p{M}*)+`, "gu");

export function tokensOf(text: string): Token[] {
  return [...text.matchAll(tokens)].map(({ 0: found, index }) => {
    const isNumber = /\p{Nd}/u.test(found);
    const word = isNumber ? withoutCurrency(found) : found;
    const forms = isNumber ? formsOf(word) : [fold(word.replace("'", ""))];
    const to = index + found.length;
    const [gap] = (isNumber && /^(?: ?[-/] ?| : | )(?=\p{Nd})/u.exec(text.slice(to, to + 5))) || [];
    const continues = isNumber && /^\)?[ ./-]?\(?(?=[-+]?\p{Nd})/u.test(text.slice(to, to + 5));
    return { word, isNumber, forms, from: index, to, joint: gap && (gap.includes("/") ? "/" : "-"), continues };
  });
}

/** Finds where words begin and end, also in scripts without spaces: its dictionaries are those of ICU. */
export const segmenter = new Intl.Segmenter("ja", { granularity: "word" });

/** Returns the words and numbers of a text in any script, in one form for each letter. */
export function wordsOf(text: string): string[] {
  return [...segmenter.segment(plain(text))].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

/** Returns "-42" for "-$42", and "-42.00" for "42.00-". */
export const withoutCurrency = (found: string) => found.replace(/^([-+])[^\d.]+/, "$1").replace(/^(.*)-$/, "-$1");

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

export function fold(word: string): string {
  return lookalikes.reduce((folded, [letters, letter]) => folded.replace(letters, letter), word);
}

/** Returns a text with one form for each letter, hyphen and apostrophe, and +44 1865 for "+44 (0)1865". Breaks between lines stay. */
export function plain(text: string): string {
  return plainMarks(text.toLowerCase())
    .replace(/[ßæœłøđı×]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/(?<=\+\d{1,3} ?)\(0\)/g, "");
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

/** Accents, and points of Hebrew and Arabic: people leave them out. Other marks are vowels, or make another letter or "≠". */
const optionalMarks =
  /\p{Cf}|[\u05f3\u05f4]|(?![\u0338\u3099\u309a])(?=[\p{Script=Inherited}\p{Script=Hebrew}])\p{M}/gu;

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
