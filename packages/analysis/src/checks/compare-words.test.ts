import { expect, test } from "vitest";
import { compareWords } from "./compare-words.ts";
import { holdsValue } from "./holds-value.ts";

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

/** Pairs that were written after the rules, with other words, digits, negations, units and scripts. */
const laterWrong: readonly Pair[] = [
  ["GATE B27", "GATE B27", "GATE B21"],
  ["Room 408", "Room 408", "ROOM 403"],
  [72, "72 kg", "12 kg"],
  ["5 mg", "5 mg", "5 g"],
  ["20 km", "20 km", "20 mi"],
  [0.75, "0.75", "0.15"],
  ["€ 49.90", "€ 49.90", "$ 49.90"],
  ["12 %", "12 %", "12 ‰"],
  ["won", "won", "never won a title"],
  ["open", "open", "not open today"],
  ["available", "available", "unavailable"],
  ["legal", "legal", "illegal"],
  ["approved", "approved", "disapproved"],
  ["Anna Schmidt", "Anna Schmidt", "Anna Schmitz"],
  ["Petra Novak", "Petra Novak", "Petr Novak"],
  ["2023-11-05", "5 November 2023", "5 November 2028"],
  ["23:45", "23:45", "23:15"],
  ["7 PM", "7 PM", "7 AM"],
  ["192.168.0.1", "192.168.0.1", "192.168.0.7"],
  ["DE89 3704", "DE89 3704", "DE89 3764"],
  ["Москва 2024", "Москва 2024", "Москва 2021"],
  ["закрыто", "закрыто", "не закрыто"],
  ["Αθήνα 15", "Αθήνα 15", "Αθήνα 75"],
  ["٣٥", "٣٥", "٣٦"],
  ["東京", "東京", "京都"],
  ["三月十二日", "三月十二日", "三月十三日"],
  ["서울", "서울", "부산"],
  ["offen", "offen", "nicht offen"],
  ["ouvert", "ouvert", "pas ouvert"],
  ["abierto", "abierto", "no abierto"],
  ["left", "turn left", "turn right"],
  ["without sugar", "without sugar", "with sugar"],
  ["with sugar", "with sugar", "without sugar"],
  ["sugar", "sugar", "without sugar"],
  [100, "100", "1000"],
  [1000, "1,000", "1.000.000"],
  ["v2.1", "v2.1", "v2.7"],
  ["+3", "+3", "-3"],
  ["1/2 cup", "1/2 cup", "1/3 cup"],
  ["½ cup", "½ cup", "¼ cup"],
];

const laterRight: readonly Pair[] = [
  ["GATE B27", "GATE B27", "Gate B27 boarding"],
  ["Room 408", "Room 408", "ROOM 408"],
  [72, "72 kg", "72 kg"],
  ["5 mg", "5 mg", "5 mg daily"],
  [0.75, "0.75", "0,75"],
  ["€ 49.90", "€ 49.90", "€49.90"],
  ["12 %", "12 %", "12%"],
  ["won", "won", "They won the title"],
  ["open", "open", "OPEN today"],
  ["unavailable", "unavailable", "Currently unavailable"],
  ["Anna Schmidt", "Anna Schmidt", "ANNA SCHMIDT"],
  ["2023-11-05", "5 November 2023", "5 NOVEMBER 2023"],
  ["2023-11-05", "11/05/2023", "11/05/2023"],
  ["23:45", "23:45", "Departure 23:45"],
  ["7 PM", "7 PM", "7 pm"],
  ["192.168.0.1", "192.168.0.1", "ip 192.168.0.1"],
  ["DE89 3704", "DE89 3704", "DE89 3704"],
  ["Москва 2024", "Москва 2024", "МОСКВА 2024"],
  ["закрыто", "закрыто", "Магазин закрыто"],
  ["Αθήνα 15", "Αθήνα 15", "ΑΘΗΝΑ 15"],
  ["٣٥", "٣٥", "٣٥"],
  ["東京", "東京駅", "東京駅"],
  ["서울", "서울", "서울역"],
  ["nicht offen", "nicht offen", "NICHT OFFEN"],
  ["turn left", "turn left", "TURN LEFT"],
  ["without sugar", "without sugar", "Tea without sugar"],
  [100, "100", "100 EUR"],
  [1000, "1,000", "1,000"],
  [1000000, "1.000.000", "1.000.000"],
  ["v2.1", "v2.1", "Version v2.1"],
  ["+3", "+3", "+3"],
  ["1/2 cup", "1/2 cup", "1/2 cup"],
  ["½ cup", "½ cup", "½ cup"],
  ["L'Oréal", "L'Oréal", "L’ORÉAL"],
  ["Straße", "Straße", "STRASSE"],
  ["שלום", "שלום", "שלום"],
  ["مرحبا", "مرحبا", "مرحبا"],
  ["नमस्ते", "नमस्ते", "नमस्ते"],
  ["Smith-Jones", "Smith-Jones", "SMITH-JONES"],
  [12, "twelve", "twelve apostles"],
  ["No entry", "No entry", "NO ENTRY"],
  ["Tea & Co.", "Tea & Co.", "TEA & CO"],
];

test("of 23 and 40 wrong pairs of a value and a screen no pair is confirmed", () => {
  expect([wrong.length, laterWrong.length]).toEqual([23, 40]);
  expect([...wrong, ...laterWrong].filter(isConfirmed)).toEqual([]);
});

test("of 40 and 42 right pairs all are confirmed", () => {
  expect([right.length, laterRight.length]).toEqual([40, 42]);
  expect([...right, ...laterRight].filter((pair) => !isConfirmed(pair))).toEqual([]);
});

test.each<Pair>([
  ["3-2", "SCORE 3-2", "SCORE 3 - 2"],
  ["3-2", "SCORE 3-2", "SCORE 3 -2"],
  ["3-2", "SCORE 3-2", "HOME SCORE 3 2 AWAY"],
  [0.75, "0.750 kg", "0,750 kg"],
  ["3:2", "3 : 2", "HOME 3:2 AWAY"],
  ["Room 5", "Room 5", "Room 5 - 10 people"],
  [5, "يوم 5", "يوم ٥"],
  [12, "१२", "12"],
  ["½ price", "½ price", "1/2 price"],
  ["24/7", "Open 24/7", "OPEN 24 / 7"],
  ["10 x 20", "10 x 20 cm", "10 × 20 CM"],
  ["Don't walk", "Don't walk", "DONT WALK"],
  ["C++", "C++", "A course of C++"],
  ["Łódź", "Łódź", "LODZ"],
  ["café", "café", "un café noir"],
  ["O'Neill", "O'Neill", "O NEILL"],
  ["million people", "million people", "5 million people"],
  ["十二日", "十二日", "三月十二日"],
  ["eau", "eau", "Verse l’eau"],
  ["Weber", "Weber", "Weber's office"],
  ["McDonald's", "McDonald's", "MCDONALDS"],
  ["Platform 31", "Platform 31", "Is it late? No, Platform 31"],
  ["금액", "금액", "제안 금액"],
  ["Việt Nam", "Việt Nam", "Hàng không Việt Nam"],
  ["שָׁלוֹם", "שָׁלוֹם", "שלום"],
  ["مُحَمَّد", "مُحَمَّد", "محمد"],
  ["Франція", "Франція", "Франщя"],
  [1000, "1.000 people", "1000 people"],
])(
  "the value %j of the quote %j is confirmed by the screen %j, which shows it in another form or beside other words",
  (...pair) => {
    expect(isConfirmed(pair)).toBe(true);
  },
);

test.each<Pair>([
  ["H2O", "H2O", "H2O2"],
  ["A+", "Blood group A+", "Blood group A-"],
  ["C#", "C#", "C++"],
  ["walk", "Walk", "DONT WALK"],
  ["CO", "CO", "CO2 level"],
  [1000, "1.000 people", "1 people"],
  ["3-2", "SCORE 3-2", "SCORE 3 - 1"],
  ["3-2", "SCORE 3-2", "SCORE 2 3"],
  [1.5, "1.500 visitors", "1.500 visitors"],
  ["5-12", "5-12", "Gate 5: 12 people"],
  ["٣:٢", "٣:٢", "3:1"],
  ["Hansen", "Hansen", "Bansen"],
  ["O'Neill", "O'Neill", "O'Brien"],
  ["XXXVII", "XXXVII", "Super Bowl XXXVIII"],
  ["רד", "רד", "ורד"],
  ["二日", "二日", "十二日"],
  ["三", "三", "三千人"],
  ["D'Angelo", "D'Angelo", "D'Amico"],
  ["l'eau", "l'eau", "l'air"],
  ["Mann", "Mann", "Man"],
])("the value %j of the quote %j is not confirmed by the screen %j", (...pair) => {
  expect(isConfirmed(pair)).toBe(false);
});

test.each<Pair>([
  ["बाल", "बाल", "बल"],
  ["दिन", "दिन", "दीन"],
  ["バス", "バス", "パス"],
  ["はし", "はし", "ばし"],
  ["otwarte", "otwarte", "nie otwarte"],
  ["open", "open", "niet open"],
  ["aperto", "aperto", "non aperto"],
  ["ανοιχτό", "ανοιχτό", "δεν είναι, μην ανοιχτό"],
  ["פתוח", "פתוח", "לא פתוח"],
  ["مفتوح", "مفتوح", "غير مفتوح"],
  ["खुला", "खुला", "नहीं खुला"],
  ["開放", "開放", "不開放"],
  ["有罪", "有罪", "无罪"],
  ["open", "open", "tidak open"],
  ["guilty", "guilty", "not “guilty”"],
  ["locked", "locked", "The door is un-locked"],
  ["virus", "virus", "an anti-virus program"],
  ["wife", "wife", "his ex-wife"],
  ["un café", "un café", "un thé"],
])(
  "the value %j of the quote %j is not confirmed by %j: vowels that are marks, and negations of many languages",
  (...pair) => {
    expect(isConfirmed(pair)).toBe(false);
  },
);

const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const codes = letters.flatMap((first) => letters.map((second) => first + second));

/** Returns the pairs of names that one letter tells apart: one more, one less or another. */
function neighboursOf(names: readonly string[]): [string, string][] {
  const shortened = new Map<string, string[]>();
  for (const name of names) {
    const letters = [...name.toLowerCase()];
    const forms = [letters.join(""), ...letters.map((_, at) => letters.toSpliced(at, 1).join(""))];
    for (const form of new Set(forms)) shortened.set(form, [...(shortened.get(form) ?? []), name]);
  }
  const pairs = [...shortened.values()].flatMap((alike) =>
    alike.flatMap((one, at) => alike.slice(at + 1).map((other) => [one, other].toSorted().join("\n"))),
  );
  return [...new Set(pairs)].map((pair) => pair.split("\n") as [string, string]);
}

test("a name, as ICU writes it in any language, is found in capitals, and one name of a hundred is taken for its neighbour", () => {
  const found = (text: string, quote: string) => compareWords({ text, quote }).found;
  let [names, neighbours, mistaken] = [0, 0, 0];
  for (const locale of Intl.DisplayNames.supportedLocalesOf(codes))
    for (const type of ["region", "language"] as const) {
      const inWords = new Intl.DisplayNames(locale, { type, fallback: "none" });
      const known = codes.map((code) => inWords.of(type === "region" ? code.toUpperCase() : code) ?? "");
      const all = [...new Set(known)].filter((name) => name !== "");
      expect(all.filter((name) => found(name.toLocaleUpperCase(locale), name) !== true)).toEqual([]);
      const pairs = neighboursOf(all);
      names += all.length;
      neighbours += pairs.length;
      mistaken += pairs.filter(([one, other]) => found(one, other) || found(other, one)).length;
    }
  expect(names).toBeGreaterThan(50_000);
  expect(neighbours).toBeGreaterThan(700);
  expect(mistaken / neighbours).toBeLessThan(0.01);
});

test("each name of a list, as ICU writes lists in any language, is found", () => {
  // The words for "and" and "or" mean "not" in languages with more readers, or are written without a space.
  const others = ["ak", "ga", "gd", "ii", "my", "ti", "yo", "zu"];
  const missed: string[] = [];
  for (const locale of Intl.DisplayNames.supportedLocalesOf(codes).filter((locale) => !others.includes(locale))) {
    const inWords = new Intl.DisplayNames(locale, { type: "language", fallback: "none" });
    const names = codes.map((code) => inWords.of(code) ?? "").filter((name) => name !== "");
    for (const type of ["conjunction", "disjunction"] as const)
      for (let at = 0; at < names.length; at += 3) {
        const some = names.slice(at, at + 3);
        const text = new Intl.ListFormat(locale, { type }).format(some);
        missed.push(...some.filter((quote) => compareWords({ text, quote }).found !== true));
      }
  }
  expect(missed).toEqual([]);
});

test("every digit of Unicode is the Latin digit with its value", () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
  const digits = all.map((code) => String.fromCodePoint(code)).filter((text) => /\p{Nd}/u.test(text));
  expect(digits.length).toBeGreaterThan(600);
  const wrong = digits.filter((text, at) => compareWords({ text, quote: String(at % 10) }).found !== true);
  expect(wrong).toEqual([]);
});

test("another sign of currency denies a value, and a sign that the reader missed does not", () => {
  const read = (text: string) => compareWords({ text, quote: "49.90 €" });
  expect(read("49.90 $")).toMatchObject({ found: false, differs: true });
  expect(read("49.90")).toMatchObject({ found: true });
});

test.each<[string, string, string | null, boolean]>([
  ["TOTAL 1950 EUR", "Invoice\nTOTAL 1250 EUR", "TOTAL 1250 EUR", true],
  ["guilty", "not guilty", "not guilty", true],
  ["-5", "5 degrees", "5", true],
  ["group A+", "Group A-", "Group A-", true],
  ["Dr. Marian Weber", "Dr. Marion Weber", "Dr. Marion Weber", false],
  ["5 cups", "Mix:\n1½ cups", "1½ cups", true],
  ["Zoe at 5", "Straße ①:\u200e Zoë\u0301 at ７ m", "Zoë\u0301 at ７", true],
  ["5 Zoe", "7 Zoe\u0308", "7 Zoe\u0308", true],
  ["서울 5", "부산 9 서울 7", "서울 7", true],
  ["1950", "99 people", null, false],
  ["gluten", "now gluten-free", "now gluten-free", true],
  ["公開", "この資料は非公開", "非公開", true],
  ["Opening night", "Second act", null, false],
])("instead of %j the reading %j shows %j; it denies the quote: %s", (quote, text, read, differs) => {
  expect(compareWords({ text, quote })).toEqual({ found: false, read, differs });
});

test("words without letters and digits are neither found nor missing", () => {
  expect(compareWords({ text: "anything", quote: "!?" })).toEqual({ found: null, read: null, differs: false });
});

test("a long quote in a long text takes little processor time", () => {
  const before = process.cpuUsage();
  for (const [text, quote] of [
    ["x", "y"],
    ["x ", "y "],
    ["1 ", "2 "],
  ] as const)
    expect(compareWords({ text: text.repeat(200_000), quote: quote.repeat(300) }).found).toBe(false);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2_000);
});

test("another sign of comparison, arrow, suit or mark neither confirms nor denies; a sign that the reader misses or invents may differ", () => {
  const pairs = [
    "< 90 %/> 90 %",
    "≤ 5/≥ 5",
    "x ≠ 5/x = 5",
    "▲ 1.25/▼ 1.25",
    "↑ 5 %/↓ 5 %",
    "C♯ minor/C♭ minor",
    "A♠/A♥",
    "✓ Paid/✗ Paid",
  ];
  for (const pair of pairs.map((pair) => pair.split("/") as [string, string]))
    for (const [quote, screen] of [pair, pair.toReversed() as [string, string]]) {
      expect(compareWords({ text: `TOTAL\n${screen}\nEND`, quote })).toMatchObject({ found: false, differs: false });
      expect(compareWords({ text: `TOTAL\n${quote}\nEND`, quote }).found).toBe(true);
    }
  for (const screen of ["Paid", "| Paid", "✓Paid", "~ ✓ Paid"])
    expect(compareWords({ text: screen, quote: "✓ Paid" }).found, screen).toBe(true);
});
