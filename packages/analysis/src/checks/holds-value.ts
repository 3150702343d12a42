import { languages } from "@video-to-json/contract/languages";
import { compareWords, mayBeOtherNumber } from "./compare-words.ts";
import { once, powerOfTen, spokenNumber } from "./number-words.ts";
import { alone, formsOf, numeral, plain, plainMarks, tokensOf, withoutCurrency } from "./tokens.ts";

/**
 * Returns whether words contain a value: a text, a number, or a date or a time of day in any common form. A number may be a part
 * of a score or of a date. The zone of a moment is not compared. For use inside the sandbox only.
 */
export function holdsValue(words: string, value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  const [, day, time] = moment.exec(String(value)) ?? [];
  if (day !== undefined) return holdsValue(words, day) && holdsValue(words, time);
  const isNumber = typeof value === "number";
  const isDay = /^\d{4}-\d\d-\d\d$/.test(String(value));
  const text = isNumber || /^\d+$/.test(value) ? withFullNumbers(words) : isDay ? words.replace(ordinal, "") : words;
  // The point of a number in JSON never separates thousands.
  const written = isNumber
    ? String(value).replace(/\.\d{3}$/, "$&0")
    : value.replace(/^[\p{L}\p{N}_]+$/u, (name) => name.replaceAll("_", " "));
  const isThere = (quote: string) => compareWords({ text, quote, isNumber }).found === true;
  if (halfDayForms(written).some(isThere)) return true;
  // "11:59 PM" is 23:59, and not 11:59.
  if (halfDayForms(written, 12).some(isThere)) return false;
  const forms = [written, ...dateForms(written, plain(text))];
  if (/^\d+$/.test(written)) {
    const spelled = plain(text).replace(/(?<![\d.])(\d\d?)\.(\d\d?)\.(\d{4})(?!\d|\.\d)/g, "$1-$2-$3");
    const parts = tokensOf(spelled).flatMap((token) =>
      token.isNumber && !mayBeOtherNumber(token, spelled) ? token.word.split(/(?<=\d)[-:/]/) : [],
    );
    if (parts.some((part) => /^\d+$/.test(part) && (isNumber ? String(Number(part)) : part) === written)) return true;
    forms.push(spokenNumber(Number(written)) ?? written);
  }
  const [, hour, minute] = /^0?(\d\d?):([0-5]\d)$/.exec(written) ?? [];
  if (hour !== undefined) forms.push(`${hour}h${minute}`, `${hour}.${minute} Uhr`, `0${hour}h${minute}`);
  if (/^-\d/.test(written)) forms.push(written.replace("-", "minus "));
  return forms.some(isThere);
}

/** "$5M" and "1.2M" are millions. "100M" may be metres. */
const capitals: Record<string, number> = { M: 6, B: 9, T: 12 };

/** Returns a text with "1200000" for "1.2 million" or "120万". Leaves out what may mean several numbers. Two words may multiply: "2 mil millones". */
function withFullNumbers(words: string): string {
  return multiplyOnce(multiplyOnce(plainMarks(words)));
}

const multiplied = new RegExp(`(${numeral})( ?)(${alone}|\\p{L}[\\p{L}\\p{M}]*)`, "giu");

function multiplyOnce(text: string): string {
  return text.replace(multiplied, (all, digits: string, gap: string, word: string, at: number) => {
    const isAmount = /\p{Sc}/u.test(text.slice(Math.max(0, at - 2), at) + digits) || /[.,]\d/.test(digits);
    const power = (isAmount && gap === "" ? capitals[word] : undefined) ?? powerOfTen(word, gap);
    if (power === undefined) return all;
    const [value, other] = formsOf(withoutCurrency(digits)).map(Number).filter(Number.isFinite);
    return value === undefined || other !== undefined ? "" : String(Number((value * 10 ** power).toPrecision(12)));
  });
}

/** Returns how the words may write a date such as 2024-03-12. With slashes and hyphens, the month may come first. */
function dateForms(text: string, words: string): string[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(`${text}T00:00:00Z`);
  if (year === undefined || month === undefined || day === undefined || date.getUTCDate() !== Number(day)) return [];
  const [m, d] = [String(Number(month)), String(Number(day))];
  const numeric = [".", "/", "-"].flatMap((mark) => {
    const pairs = [day + mark + month, d + mark + m, ...(mark === "." ? [] : [month + mark + day, m + mark + d])];
    return [...pairs.map((start) => start + mark + year), year + mark + month + mark + day, year + mark + m + mark + d];
  });
  const named = dateFormats().flatMap((format) => {
    const name = format.formatToParts(date).find(({ type }) => type === "month")?.value ?? "";
    if (!words.includes(plain(name))) return [];
    const days = /\d/.test(name) ? [] : [d, day];
    return [
      format.format(date),
      ...days.flatMap((d) => [`${d} ${name} ${year}`, `${d} de ${name} de ${year}`, `${name} ${d} ${year}`]),
    ];
  });
  return [...numeric, ...named];
}

/** The end of a day in English: "May 14th", "the 14th of May". */
const ordinal = /(?<=\d)(?:st|nd|rd|th)\b(?: of\b)?/giu;

/** A day, and a time without its seconds if these are zero. */
const moment = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?:(?!:00)(?::\d\d))?)(?::00)?(?:\.0+)?(?:Z|[-+]\d\d:?\d\d)?$/;

/** Returns how people write a time of day such as 14:05, or the time some hours later, with its half of the day. */
function halfDayForms(text: string, hoursLater = 0): string[] {
  const [, hour, minute, second] = /^(\d\d?):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23) return [];
  const time = Date.UTC(2024, 0, 1, Number(hour) + hoursLater, Number(minute), Number(second ?? 0));
  const formats = second === undefined ? timeFormats().short : timeFormats().long;
  return [...new Set(formats.map((format) => format.format(time)))];
}

const wholeDate = { day: "numeric", year: "numeric", timeZone: "UTC" } as const;
const formatOf = (language: string, month: "long" | "short") =>
  new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { ...wholeDate, month });
const dateFormats = once(() => languages.flatMap((each) => [formatOf(each, "long"), formatOf(each, "short")]));
const timeFormats = once(() => {
  const withStyle = (timeStyle: "short" | "medium") =>
    languages.map(
      (each) => new Intl.DateTimeFormat(`${each}-u-nu-latn`, { timeStyle, hourCycle: "h12", timeZone: "UTC" }),
    );
  return { short: withStyle("short"), long: withStyle("medium") };
});
