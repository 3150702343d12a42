import { expect, test } from "vitest";
import { compareWords, holdsValue } from "./compare-words.ts";

/** A value, the quote that the model gives for it, and the text on the screen. */
type Pair = readonly [value: string | number, quote: string, screen: string];

const isConfirmed = ([value, quote, screen]: Pair) =>
  holdsValue(quote, value) && compareWords({ text: screen, quote }).found === true;

const wrong: readonly Pair[] = [
  ["SCORE 3-2", "SCORE 3-2", "SCORE 3-1"],
  ["3:2", "3:2", "HOME 3:1 AWAY"],
  [2, "3-2", "SCORE 3-1"],
  ["TOTAL 1950 EUR", "TOTAL 1950 EUR", "TOTAL 1250 EUR"],
  [1950, "TOTAL 1950 EUR", "TOTAL 1250 EUR"],
  ["TOTAL 1250 EUR", "SCORE 3-1", "SCORE 3-1 TOTAL 900"],
  ["Dr. Marian Weber", "Dr. Marian Weber", "Dr. Marion Weber"],
  ["12 March 2025", "12 March 2025", "12 March 2024"],
  ["2024-12-03", "12 March 2024", "12 March 2024"],
  ["guilty", "guilty", "The jury: not guilty"],
  ["guilty", "not guilty", "not guilty"],
  ["not guilty", "not guilty", "guilty"],
  ["locked", "locked", "The door is unlocked"],
  ["increase", "increase", "a decrease of 5 %"],
  ["10:30 AM", "10:30 AM", "10:30 PM"],
  [-5, "-5 °C", "5 °C today"],
  [5, "5 °C", "-5 °C today"],
  [1.5, "1.5 km", "15 km"],
  [15, "15 km", "1.5 km"],
  ["BX-4411", "BX-4411", "BX-4471"],
  ["+44 20 7946 0985", "+44 20 7946 0985", "+44 20 7946 0958"],
  ["parking", "parking", "NO PARKING"],
  ["Plaeform 31", "Plaeform 31", "Platform 31"],
];

const right: readonly Pair[] = [
  ["SCORE 3-1", "SCORE 3-1", "SCORE 3-1"],
  ["3:1", "3-1", "HOME 3 - 1\nSCORE 3-1"],
  [3, "SCORE 3-1", "SCORE 3-1"],
  [1, "3:1", "3:1"],
  [1250, "TOTAL 1,250 EUR", "TOTAL 1,250 EUR"],
  [1250, "TOTAL 1.250 EUR", "TOTAL 1.250 EUR"],
  [1250, "1 250 EUR", "1 250 EUR"],
  [1250.5, "1,250.50", "$1,250.50"],
  [1.5, "1,5 km", "1,5 km"],
  [1.5, "1.50 EUR", "1.50 EUR"],
  [-5, "−5 °C", "-5 °C"],
  [5, "+5 °C", "+5 °C"],
  [5, "Exhibit No. 5", "EXHIBIT NO. 5"],
  [3, "three people", "Three people in the room"],
  ["2024-03-12", "12 March 2024", "12 MARCH 2024"],
  ["2024-03-12", "March 12, 2024", "March 12, 2024"],
  ["2024-03-12", "12.03.2024", "12.03.2024"],
  ["2024-03-12", "12. März 2024", "12. Marz 2024"],
  ["2024-03-12", "12 de marzo de 2024", "12 de marzo de 2024"],
  [2024, "12/03/2024", "12/03/2024"],
  ["10:30 AM", "10:30 AM", "Doors open 10:30 am"],
  ["BX-4471", "BX-4471", "BX 4471"],
  ["+44 20 7946 0958", "+44 20 7946 0958", "Call +44 20 7946 0958 now"],
  ["not guilty", "not guilty", "NOT GUILTY"],
  ["red_card", "RED CARD", "RED CARD 41'"],
  ["Okafor", "OKAFOR 41'", "OKAFOR 41'"],
  ["Opening night", "Opening night", "0pening niqht at ten"],
  ["Opening night", "Opening night", "OPENINGNIGHT"],
  ["Evacuation", "Evacuation", "EVACUAT1ON"],
  ["Platform 31", "Platform 31", "Platlorm 31"],
  ["Margherita", "Margherita", "Margberita"],
  ["Zimmermann", "Zimmermann", "Zimmerman"],
  ["modern times", "modern times", "rnodern tirnes"],
  ["Café Zürich", "Café Zürich", "cafe zurich"],
  ["O'Neill", "O'Neill", "O’NEILL"],
  ["don't walk", "Don't walk", "DON'T WALK"],
  ["locked", "locked", "The door is locked"],
  ["字幕", "字幕です", "字幕です"],
  ["Казань", "Казань", "КАЗАНЬ"],
  ["Exit", "Exit", "No smoking, no\nExit"],
];

test("of 23 wrong pairs of a value and a screen no pair is confirmed", () => {
  expect(wrong).toHaveLength(23);
  expect(wrong.filter(isConfirmed)).toEqual([]);
});

test("of 40 right pairs all are confirmed", () => {
  expect(right).toHaveLength(40);
  expect(right.filter((pair) => !isConfirmed(pair))).toEqual([]);
});

test.each<[string, string, string | null, boolean]>([
  ["TOTAL 1950 EUR", "Invoice\nTOTAL 1250 EUR", "total 1250 eur", true],
  ["guilty", "not guilty", "not guilty", true],
  ["-5", "5 degrees", "5", true],
  ["Dr. Marian Weber", "Dr. Marion Weber", "dr. marion weber", false],
  ["1950", "99 people", null, false],
  ["Opening night", "Second act", null, false],
])("instead of %j the reading %j shows %j; it denies the quote: %s", (quote, text, read, differs) => {
  expect(compareWords({ text, quote })).toEqual({ found: false, read, differs });
});

test("words without letters and digits are neither found nor missing", () => {
  expect(compareWords({ text: "anything", quote: "!?" })).toEqual({ found: null, read: null, differs: false });
});

test("a long quote in a long text is compared quickly", () => {
  const started = performance.now();
  for (const [text, quote] of [
    ["x", "y"],
    ["x ", "y "],
    ["1 ", "2 "],
  ] as const)
    expect(compareWords({ text: text.repeat(200_000), quote: quote.repeat(300) }).found).toBe(false);
  expect(performance.now() - started).toBeLessThan(2_000);
});
