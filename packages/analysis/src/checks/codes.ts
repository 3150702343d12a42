import type { Token, Tokens } from "./tokens.ts";

/** Digits of a telephone number or another code, the lengths after each of its groups, and the index after its last token. */
type Code = { digits: string; groups: number[]; to: number };

/** The fewest digits of a code that people group in several ways. "102-110" is a score, and 102110 is not. */
const shortestCode = 7;
const mostGroups = 12;
/** Groups of digits. A single point is that of a decimal number. */
const codePart = /^(?![^.]*\.[^.]*$)\+?\d+(?:[-. /]\d+)*$/;

/** Returns the codes that begin at a token, the shortest first: "555 1234" and "555 1234 24". */
function codesFrom(list: Tokens, at: number): Code[] {
  const codes: Code[] = [];
  let [digits, groups]: [string, number[]] = ["", []];
  for (let to = at; to < Math.min(list.length, at + mostGroups); to++) {
    const { word, continues } = list[to] as Token;
    if (!codePart.test(to > at ? word.replace("-", "") : word)) break;
    for (const group of word.match(/\d+/g) ?? []) {
      digits += group;
      groups = [...groups, digits.length];
    }
    codes.push({ digits, groups, to: to + 1 });
    if (!continues) break;
  }
  return codes.filter(({ digits }) => digits.length >= shortestCode);
}

/** Returns the ends of a code that begins at a place of both lists, grouped alike. */
export function sameCode(wanted: Tokens, from: number, there: Tokens, at: number) {
  const isPart = there[at - 1]?.continues && !wanted[from - 1]?.continues;
  if (!wanted[from]?.isNumber || !there[at]?.isNumber || isPart) return undefined;
  const [codes, others] = [codesFrom(wanted, from), codesFrom(there, at)];
  for (const code of codes.toReversed()) {
    const other = others.find((other) => other.digits === code.digits && areGroupedAlike(code, other));
    // A part of a longer code is another code.
    if (other && (code !== codes.at(-1) || other === others.at(-1))) return { wanted: code.to, there: other.to };
  }
  return undefined;
}

/** Returns whether two codes have the same gaps, or one has only some gaps of the other. 11.1.2024 is not 1.11.2024. */
function areGroupedAlike({ groups: a }: Code, { groups: b }: Code): boolean {
  // 12.03.2024 is not 12/03/2024.
  if (isDate(a) && isDate(b)) return false;
  return a.every((length) => b.includes(length)) || b.every((length) => a.includes(length));
}

/** Returns whether the groups have the lengths of day, month and year. */
function isDate(groups: readonly number[]): boolean {
  return /^[12],[12],4$|^4,[12],[12]$/.test(groups.map((length, index) => length - (groups[index - 1] ?? 0)).join());
}

/** Returns the code in place of the wanted one if half of its digits are the same. The wanted words must be one code. */
export function likeCode(wanted: Tokens, there: Tokens): { from: number; to: number; differs: true } | undefined {
  const code = codesFrom(wanted, 0).at(-1);
  if (code?.to !== wanted.length) return undefined;
  let best: { from: number; to: number; differs: true; same: number } | undefined;
  for (let from = 0; from < there.length; from++)
    for (const other of codesFrom(there, from)) {
      if (other.digits.length !== code.digits.length || !areGroupedAlike(code, other)) continue;
      const same = [...other.digits].filter((digit, index) => digit === code.digits[index]).length;
      // If all digits are the same, the quote is a part of a longer code, which denies nothing.
      const differs = 2 * same >= code.digits.length && other.digits !== code.digits;
      if (differs && same > (best?.same ?? 0)) best = { from, to: other.to, differs, same };
    }
  return best;
}

/** Returns whether both lists have one telephone number, and one has its country too: +44 1865 272727 is 01865 272727. */
export function haveSamePhone(wanted: Tokens, there: Tokens): boolean {
  return phonesIn(wanted).some((phone) =>
    phonesIn(there).some((other) => {
      const [long, short] = phone.hasCountry ? [phone, other] : [other, phone];
      // Inside the country, a number may begin with one or two digits of its own, as 0 or 8.
      const ends = [0, 1, 2].map((at) => short.digits.slice(at));
      return long.hasCountry && !short.hasCountry && ends.some((end) => long.digits.endsWith(end));
    }),
  );
}

function phonesIn(list: Tokens) {
  return list.flatMap(({ word }, at) => {
    const code = list[at - 1]?.continues ? undefined : codesFrom(list, at).at(-1);
    return code ? [{ digits: code.digits, hasCountry: word.startsWith("+") }] : [];
  });
}
