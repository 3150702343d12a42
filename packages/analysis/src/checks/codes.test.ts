import { type CountryCode, getCountries, getExampleNumber } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { expect, test } from "vitest";
import { compareWords } from "./compare-words.ts";
import { holdsValue } from "./holds-value.ts";

/** A code on the screen, and the same code in a quote. */
type Pair = readonly [screen: string, quote: string];

const phones = getCountries().map((country: CountryCode) => {
  const number = getExampleNumber(country, examples);
  if (!number) throw new Error(`${country} has no example`);
  const international = number.formatInternational();
  const national = number.formatNational();
  return { whole: number.number, international, dashes: international.replaceAll(" ", "-"), national };
});

const regrouped = phones.flatMap(({ whole, international, dashes, national }): Pair[] => [
  [whole, international],
  [international, whole],
  [international, dashes],
  [dashes, international],
  [dashes, whole],
  [national, national.replace(/\D/g, "")],
  [national.replace(/\D/g, ""), national],
]);

const codes: readonly Pair[] = [
  ["978-3-16-148410-0", "9783161484100"],
  ["4 006381 333931", "4006381333931"],
  ["0 36000 29145 2", "036000291452"],
  ["4111 1111 1111 1111", "4111111111111111"],
  ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
  ["GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819"],
  ["1Z 999 AA1 01 2345 6784", "1Z999AA10123456784"],
  ["123-45-6789", "123456789"],
  ["415.555.2671", "(415) 555-2671"],
  ["(415)-555-2671", "4155552671"],
  ["+49 30 901820", "+49 30901820"],
  ["+44 (0)20 7946 0958", "+442079460958"],
  ["2024-11-05", "20241105"],
];

/** The fewest digits that are compared as one code. */
const isLong = ([screen]: Pair) => screen.replace(/\D/g, "").length >= 7;
const long = [...regrouped.filter(isLong), ...codes, ...codes.map(([screen, quote]): Pair => [quote, screen])];

const compare = ([code, quote]: Pair) => compareWords({ text: `CALL NOW\n${code}\nOpen 9-17`, quote });
const text = ([screen, quote]: Pair) => `${screen} is ${quote}`;

/** Returns the code with its digit at a part of the length changed. */
function misread(code: string, part: number): string {
  const places = [...code.matchAll(/\d/g)].map(({ index }) => index);
  const at = places[Math.floor(places.length * part)] ?? 0;
  return `${code.slice(0, at)}${(Number(code[at]) + 1) % 10}${code.slice(at + 1)}`;
}

test("a telephone number of any country, or another code, is the same however its digits are grouped", () => {
  expect(long.length).toBeGreaterThan(1_600);
  expect(long.filter((pair) => !compare(pair).found).map(text)).toEqual([]);
  expect(long.filter(([screen, quote]) => !holdsValue(screen, quote)).map(text)).toEqual([]);
});

test("a code with another digit is not the same, and is denied where it begins with a digit", () => {
  const wrong = long.flatMap(([screen, quote]) => [0.3, 0.7, 0.95].map((part): Pair => [screen, misread(quote, part)]));
  expect(wrong.filter((pair) => compare(pair).found).map(text)).toEqual([]);
  expect(wrong.filter(([screen, quote]) => holdsValue(screen, quote)).map(text)).toEqual([]);
  const isNumber = (pair: Pair) => pair.every((code) => /^[+(\d]/.test(code) && !/[A-Z]/.test(code));
  const denied = wrong.filter(isNumber).filter((pair) => compare(pair).differs);
  expect(denied.length / wrong.filter(isNumber).length).toBeGreaterThan(0.98);
});

test("a telephone number with the code of its country does not deny the same number without it", () => {
  const pairs = phones.flatMap(({ whole, international, national }) =>
    [whole, international].flatMap((code): Pair[] => [
      [code, national],
      [national, code],
      [`Tel. ${code}`, `Tel. ${national}`],
      [`Tel. ${national}`, `Tel. ${code}`],
    ]),
  );
  // Mexico and Argentina put more digits between, and the numbers of some islands are short.
  expect(pairs.filter((pair) => compare(pair).differs).length / pairs.length).toBeLessThan(0.02);
  expect(compare(["Tel. +375 29 123-45-67", "Tel. 8 029 123-45-67"]).differs).toBe(false);
  expect(compare(["Tel. +44 1865 272727", "Tel. +1 01865 272727"]).differs).toBe(true);
});

test.each<Pair>([
  ["192.168.101.2", "192.168.10.12"],
  ["11.1.2024", "1.11.2024"],
  ["12.03.2024", "12/03/2024"],
  ["1234.5678", "12345678"],
  ["-1234567", "1234567"],
  ["102-110", "102110"],
  ["1 234 567.89", "123456789"],
  ["4111 1111 1111 1111", "411111111111"],
])("%s is not %s", (screen, quote) => {
  expect(compare([screen, quote]).found).toBe(false);
});

test.each<Pair>([
  ["2019 2020 2021 2022", "2020 2021"],
  ["555 1234\n24 hours", "5551234"],
  ["Call 555-1234 now", "Call 5551234"],
])("%j has %s", (screen, quote) => {
  expect(compare([screen, quote]).found).toBe(true);
});

test("part of a longer code, and a code with hardly one digit the same, is neither found nor denied", () => {
  expect(compare(["555-1234", "957 6543"])).toEqual({ found: false, read: null, differs: false });
  expect(compare(["555 1234 24 hours", "5551234"])).toEqual({ found: false, read: null, differs: false });
});
