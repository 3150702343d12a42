import { expect, test } from "vitest";
import { compareWords } from "./compare-words.ts";
import { holdsValue } from "./holds-value.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const regions =
  "en-IN en-ZA de-AT de-CH fr-CA fr-CH es-MX es-CL pt-PT zh-HK ar-EG ar-MA fa-IR ur-PK sr-Latn it-CH".split(" ");
/** All languages that ICU knows by two letters, and some regions that write numbers in another way. */
const locales = [
  ...Intl.NumberFormat.supportedLocalesOf(letters.flatMap((a) => letters.map((b) => a + b))),
  ...regions,
];
/** Sinhala puts the sign right behind a name, as other languages write "BX-42". */
const readable = locales.filter((locale) => locale !== "si");
/** The languages whose names of months and of large numbers the service knows. */
const known = "en de fr es it pt nl ru pl uk tr sv da nb fi ja zh ko ar he hi id vi cs hu el bg sk lt fa".split(" ");
const numbers = [0, 7, 12, 123, 1234, 12345.6, 1234567.89, -42, -1234.5, 0.5, 3.14, 1_000_000, 99.95, 150_000];
const othersThan = (value: number) =>
  [-1, 10, 100, 1000, 0.1, 0.01, 0.001]
    .map((factor) => Number((factor * value).toPrecision(12)))
    .filter((other) => other !== value);

test.each<[string, Intl.NumberFormatOptions]>([
  ["alone", { maximumFractionDigits: 2 }],
  ["in dollars", { style: "currency", currency: "USD" }],
  ["in euros", { style: "currency", currency: "EUR" }],
  ["with the name of its currency", { style: "currency", currency: "GBP", currencyDisplay: "name" }],
  ["as a speed", { style: "unit", unit: "kilometer-per-hour", maximumFractionDigits: 2 }],
])("a number %s, as ICU writes it in any language, holds its value and no other one", (_, options) => {
  const wrong = readable.flatMap((locale) =>
    numbers.flatMap((value) => {
      const words = new Intl.NumberFormat(locale, options).format(value);
      // "1.234" is 1234 in many languages, and it is how JSON writes another number.
      const others = othersThan(value).filter((other) => !words.includes(String(other)));
      const held = others.filter((other) => holdsValue(words, other));
      return [
        ...(holdsValue(words, value) ? [] : [`${locale}: ${words} is not ${value}`]),
        ...held.map((other) => `${locale}: ${words} is ${other}`),
      ];
    }),
  );
  expect(wrong).toEqual([]);
});

test("a large number in words, as ICU writes it in a known language, holds its value and not the digits alone", () => {
  const wrong = known.flatMap((locale) =>
    [5_000, 20_000, 3_000_000, 1_200_000, 2_500_000_000].flatMap((value) => {
      const words = new Intl.NumberFormat(locale, { notation: "compact", compactDisplay: "long" }).format(value);
      const digits = Number(/[\d.,]+/.exec(words.normalize("NFKC"))?.[0].replace(",", "."));
      return [
        ...(holdsValue(words, value) ? [] : [`${locale}: ${words} is not ${value}`]),
        ...(digits !== value && holdsValue(words, digits) ? [`${locale}: ${words} is ${digits}`] : []),
        ...(digits !== value && compareWords({ text: words, quote: String(digits) }).found
          ? [`${locale}: ${digits} is in ${words}`]
          : []),
      ];
    }),
  );
  expect(wrong).toEqual([]);
});

test("a time of day, as ICU writes it in a known language, holds its value and not the time twelve hours later", () => {
  const clock = (time: number) => new Date(time).toISOString().slice(11, 16);
  const wrong = known.flatMap((locale) =>
    ["00:30", "02:05", "09:15", "11:59", "12:30", "14:05", "23:59"].flatMap((value) => {
      const time = Date.parse(`2024-01-01T${value}Z`);
      const words = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, {
        ...{ timeStyle: "short", hourCycle: "h12", timeZone: "UTC" },
      }).format(time);
      const later = clock(time + 12 * 3_600_000);
      return [
        ...(holdsValue(words, value) ? [] : [`${locale}: ${words} is not ${value}`]),
        ...(holdsValue(words, later) ? [`${locale}: ${words} is ${later}`] : []),
      ];
    }),
  );
  expect(wrong).toEqual([]);
});

test("a date, as ICU writes it in a known language, holds its value and no day, month or year beside it", () => {
  const wrong = known.flatMap((locale) =>
    ["2024-03-12", "2023-11-05", "2025-10-30", "1999-12-01"].flatMap((value) =>
      (["full", "long"] as const).flatMap((dateStyle) => {
        const words = new Intl.DateTimeFormat(`${locale}-u-ca-gregory`, { dateStyle, timeZone: "UTC" }).format(
          new Date(value),
        );
        const [year, month, day] = value.split("-").map(Number) as [number, number, number];
        const others = [
          [year + 1, month, day],
          [year, (month % 12) + 1, day],
          [year, ((month + 10) % 12) + 1, day],
          [year, month, day - 1 || 2],
        ].map((parts) => parts.map((part) => String(part).padStart(2, "0")).join("-"));
        return [
          ...(holdsValue(words, value) ? [] : [`${locale}: ${words} is not ${value}`]),
          ...others.filter((other) => holdsValue(words, other)).map((other) => `${locale}: ${words} is ${other}`),
        ];
      }),
    ),
  );
  expect(wrong).toEqual([]);
});

test.each<[words: string, value: string | number, holds: boolean]>([
  ["Loss: -$42", 42, false],
  ["EUR-42", -42, true],
  ["1.234,50-", -1234.5, true],
  ["1,234 people", 1.234, false],
  ["batting .300", 0.3, true],
  ["batting .5", 5, false],
  ["½ cup", 1, false],
  ["1½ cups", 1.5, true],
  ["$5M", 5_000_000, true],
  ["1.2M views", 1.2, false],
  ["100M SPRINT", 100, true],
  ["100m sprint", 100, true],
  ["10K subscribers", 10_000, true],
  ["3 miles", 3, true],
  ["Durée : 5 mn", 5, true],
  ["10-15K", 15, false],
  ["120万人", 1_200_000, true],
  ["12.345,678", 12_345.678, true],
  ["1.250 million", 1_250_000, false],
  ["제5조", 5, true],
  ["12. 3. 2024", "2024-03-12", true],
  ["12. 3. 2024", "2024-12-03", false],
  ["thirteen rooms", 13, true],
  ["twenty-five people", 25, true],
  ["twenty-five people", 5, false],
  ["twenty-five people", 20, false],
  ["it is minus 4 degrees", 4, false],
  ["it is minus four degrees", 4, false],
  ["it is minus 4 degrees", -4, true],
  ["il fait moins 40 degrés", 40, false],
  ["マイナス5度", 5, false],
  ["零下5度", 5, false],
  ["영하 5도", 5, false],
  ["температура минус 5", 5, false],
  ["au moins 40 personnes", 40, true],
  ["that is 8 minus 4", 4, true],
  ["negative feedback", "feedback", true],
  ["Python 3.10", "3.1", false],
  ["Python 3.1", "3.10", false],
  ["Python 3.10", 3.1, true],
  ["it costs €1.50", "€1.5", true],
  ["1,500 people", "1500", true],
  ["vingt-deux ans", "vingt", false],
  ["in the 1990s", 1990, false],
  ["in the 1990's", "1990", false],
  ["in 1990", 1990, true],
  ["May 14th, 2024", "2024-05-14", true],
  ["on the 14th of May 2024", "2024-05-14", true],
  ["on the 14th of May 2024", "2024-05-04", false],
  ["départ à 14h30", "14:30", true],
  ["départ à 9 h 05", "09:05", true],
  ["départ à 09h05", "09:05", true],
  ["um 14.30 Uhr", "14:30", true],
  ["um 14.30 Uhr", "02:30", false],
  ["départ à 14h30", "4:30", false],
  ["the twenty-first century", "twenty", false],
  ["one", 101, false],
  ["nine", 109, false],
  ["one hundred and five", 5, false],
  ["ham and five eggs", 5, true],
  ["vingt-six personnes", 6, false],
  ["cent six personnes", 6, false],
  ["six personnes", 6, true],
  ["12 lakh rupees", 1_200_000, true],
  ["ten lakh", 10, false],
  ["three million", 3, false],
  ["5 million", "5", false],
  ["5 million", "5 million", true],
  ["two hundred and one", 2, false],
  ["one two three", 2, true],
  ["12.03.2024", "2024-12-03", false],
  ["12.03.2024", 2024, true],
  ["12.03.2024", 3, true],
  ["12/03/2024", 3, true],
  ["1.234.567", 567, false],
  ["1.000 people", 1, false],
  ["code 007", "7", false],
  ["31 May 2025", "2025-04-31", false],
  ["05 November 2023", "2023-11-05", true],
  ["2024/03/12", "2024-03-12", true],
  ["2:05PM", "14:05", true],
  ["2:05 p.m.", "14:05", true],
  ["2:05:09 PM", "14:05:09", true],
  ["11:59 PM", "11:59", false],
  ["12:30 AM", "12:30", false],
  ["From 9:15 AM to 5:00 PM", "17:00", true],
  ["Shows at 9:15 AM and 9:15 PM", "09:15", true],
  ["Shows at 9:15 AM and 9:15 PM", "21:15", true],
  ["HALF TIME 45:00", "45:00", true],
  ["9:00 PM", "45:00", false],
  ["12 March 2024, 2:05 PM", "2024-03-12T14:05:00Z", true],
  ["12 March 2024, 14:05", "2024-03-12T14:05:00+01:00", true],
  ["12 March 2024, 2:05 PM", "2024-03-12T02:05:00Z", false],
  ["11 March 2024, 2:05 PM", "2024-03-12T14:05:00Z", false],
  ["12 March 2024, 14:05:09", "2024-03-12T14:05:09Z", true],
  ["12 March 2024, 14:05:08", "2024-03-12T14:05:09Z", false],
])("%s holds %s: %s", (words, value, holds) => {
  expect(holdsValue(words, value)).toBe(holds);
});

test.each<[text: string, quote: string, read: string | null]>([
  ["we sold 25 million cars", "25", "sold 25 million"],
  ["we sold twenty-five cars", "five cars", "twenty-five cars"],
  ["we sold twenty-five cars", "twenty-five cars", null],
  ["a poster: 25 Million Dollar Baby", "Million Dollar Baby", null],
])("a quote is found only with its whole number: %s, %s", (text, quote, read) => {
  const reading = compareWords({ text, quote });
  expect([reading.found, reading.found ? null : reading.read]).toEqual([read === null, read]);
});
