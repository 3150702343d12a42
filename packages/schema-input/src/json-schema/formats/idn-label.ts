// RFC 5892: the letters, marks and digits of the scripts that are stable under case folding and NFKC, and its exceptions.
const category = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]$/u;
const valid = /^[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]$/u;
const disallowed =
  /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]$|^\p{Default_Ignorable_Code_Point}$/u;

const virama =
  /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\ua806\ua8c4\ua953\ua9c0\uaaf6\uabed]$/u;
const joinsOnward = /(?![آأؤإاةدذرزوٱ\u0621])[\p{Script=Arabic}\p{Script=Syriac}]\p{M}*$/u;
const joinsBack = /^\p{M}*(?!\u0621)[\p{Script=Arabic}\p{Script=Syriac}]/u;

// RFC 5892, appendix A: what must stand around a code point that is valid in some contexts only.
const contexts: Record<string, (before: string, after: string) => boolean> = {
  "\u200c": (before, after) => virama.test(before) || (joinsOnward.test(before) && joinsBack.test(after)),
  "\u200d": (before) => virama.test(before),
  "\u00b7": (before, after) => before.endsWith("l") && after.startsWith("l"),
  "\u0375": (_before, after) => /^\p{Script=Greek}/u.test(after),
  "\u05f3": (before) => /\p{Script=Hebrew}$/u.test(before),
  "\u05f4": (before) => /\p{Script=Hebrew}$/u.test(before),
  "\u30fb": (before, after) => /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(before + after),
};

const rightToLeft =
  /(?!\p{Nd})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;
const arabicDigit = /[\u0660-\u0669]/u;
const europeanDigit = /[0-9\u06f0-\u06f9]/u;

/** Whether the code points of a U-label are allowed, each and beside one another (RFC 5891, 5892). */
export function isIdnLabel(label: string): boolean {
  if (label === "" || label.slice(2, 4) === "--" || label !== label.normalize("NFC") || /^\p{M}/u.test(label))
    return false;
  if (arabicDigit.test(label) && /[\u06f0-\u06f9]/u.test(label)) return false;
  let at = 0;
  for (const mark of label) {
    const context = contexts[mark];
    if (context ? !context(label.slice(0, at), label.slice(at + mark.length)) : !isValid(mark)) return false;
    at += mark.length;
  }
  return true;
}

/** Whether the labels of a name keep the Bidi rule (RFC 5893), which holds once any of them is written right to left. */
export function keepsBidiRule(labels: readonly string[]): boolean {
  if (!labels.some((label) => rightToLeft.test(label) || arabicDigit.test(label))) return true;
  return labels.every((label) => {
    const letters = [...label].filter((mark) => !/^(?:\p{M}|\u200c|\u200d|-)$/u.test(mark));
    const first = letters[0] ?? "";
    if (europeanDigit.test(first) || arabicDigit.test(first)) return false;
    const isRight = rightToLeft.test(first);
    const isMixed = arabicDigit.test(label) && europeanDigit.test(label);
    return !isMixed && letters.every((mark) => isDigit(mark) || rightToLeft.test(mark) === isRight);
  });
}

function isDigit(mark: string): boolean {
  return europeanDigit.test(mark) || arabicDigit.test(mark);
}

function isValid(mark: string): boolean {
  if (valid.test(mark)) return true;
  const folded = mark.normalize("NFKC").toLowerCase().normalize("NFKC");
  return folded === mark && category.test(mark) && !disallowed.test(mark);
}
