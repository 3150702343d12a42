import { unspaced } from "./languages.ts";

/** Returns the words of a key in lower case and without accents: goal, starts, at for `goalStartsAt`. */
function wordsOf(key: string): string[] {
  const spaced = key.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ").toLowerCase();
  const plain = spaced
    .normalize("NFD")
    .replace(/[\u0300-\u036f\u064b-\u0652]/g, "")
    .normalize("NFC")
    .replaceAll("ı", "i")
    .replaceAll("đ", "d");
  // Vietnamese writes them as two words.
  const whole = plain.replace(/(bat)[ _-](dau)|(ket)[ _-](thuc)/g, "$1$2$3$4");
  return whole.match(/[\p{L}\p{M}]+|\d+/gu) ?? [];
}

/** The role of a time. `start`: its key says that something lasts. `unknown`: the key has no word that says what it is. */
export type TimeRole = "start" | "end" | "moment" | "unknown";

const startWords = new Set(["start", "starts", "started", "begin", "begins", "began", "beginning", "onset", "in"]);
const endWords = new Set(["end", "ends", "ended", "ending", "stop", "stops", "finish", "finishes", "until", "out"]);
/** Words of a start and of an end in other languages: how they begin, or in some scripts what they contain. */
const otherStarts =
  /^(?:alk(?:aa|u)|algus|anfang|appear|basla|begi?n|begynn?|bermula|borjar?|byrja|com(?:ec|ez|enc)|comienz|debut|demarr|desde|empiez|enters?$|hasier|incep|inic[io]|iniz[io]|kezd|mulai|permulaan|poc(?:atek|etak|etn|inje)|poczat|pra(?:dzi|sided)|sakas|start(?!up|l)|zac(?:at|et|iat|in|n)|zaczyn|zapoc|начал|начина|пачат|пачал|поча(?:т|в)|почет|почиње|баст|αρχη|εναρξ|ξεκιν|εκκιν|սկ)|batdau|开始|開始|起始|起点|起點|시작|بداي|شروع|آغاز|התחל|आरंभ|प्रारंभ|शुरु|เริ่ม|საწყ|დაწყ/u;
const otherEnds =
  /^(?:acab|akhir|amai|baigias|befejez|beidz|berakhir|bitis|disappear|eind|ende?$|end(?:et|dat|tid|zeit)|exits?$|fin[eo]?$|fim$|hasta$|konc[eian]|konec|koniec|kraj|krai$|leaves$|lopp(?:$|u)|paatty|pabaig|schluss|selesai|sfarsit|slut|tamat|termin[aeo]$|ukonc|vege$|zavrs|окончан|заверш|завярш|заврш|закінч|кон[еі]?ц|кан[еі]?ц|кін[еі]?ц|краи(?:н|$)|крај|аяқт|λη[ξγ]|τελ|ավարտ|վերջ)|ketthuc|结束|結束|结尾|結尾|終了|終わり|끝|종료|نهاي|انته|اتمام|پایان|סוף|סיום|अंत|समाप|สิ้นสุด|จบ|დასას|დასრ|მთავრდ/u;
const joined = new RegExp(unspaced, "u");
const momentWords = new Set(
  "at time timestamp timestamps times timecode moment when position offset clock occurs mark".split(" "),
);
const timeWords = new Set(
  [...momentWords, "from", "von", "to", "bis", "since", "till", "appears", "disappears"].concat(
    ...[startWords, endWords].map((words) => [...words].filter((word) => word !== "in" && word !== "out")),
  ),
);
const unitWords = new Set(["s", "sec", "secs", "second", "seconds", "ms", "msec", "millis", "milliseconds"]);
/** A number or clock with one of these words is not a position in the video. */
const otherWords = new Set(
  (
    "duration length lasts runtime elapsed remaining score ratio aspect pace count number index interval " +
    "gap total average age year date price speed percent"
  ).split(" "),
);

/** Returns the role of a time according to its key. */
export function roleOf(key: string): TimeRole {
  const words = wordsOf(key);
  const [only] = words.length === 1 ? words : [];
  if (only === "from" || only === "von") return "start";
  if (only === "to" || only === "till" || only === "bis") return "end";
  const isNamed = (known: ReadonlySet<string>, others: RegExp) =>
    words.some((word) => (known.has(word) && isEdge(word, words)) || others.test(word));
  if (isNamed(endWords, otherEnds)) return "end";
  if (isNamed(startWords, otherStarts)) return "start";
  return words.some((word) => momentWords.has(word)) ? "moment" : "unknown";
}

/** `in` and `out` are edges only as the last word of a key, as in `mark_in`. */
function isEdge(word: string, words: readonly string[]): boolean {
  return (word !== "in" && word !== "out") || words.at(-1) === word;
}

/** Returns the rest of a key without its role, its unit and words that only say that it is a time. */
export function stemOf(key: string): string {
  const words = wordsOf(key);
  const drop = (word: string) =>
    startWords.has(word) || endWords.has(word) || timeWords.has(word) || unitWords.has(word);
  // 試合, the match, is left of 試合開始 and 試合終了. In other scripts a word is one thing.
  const restOf = (word: string, edge: RegExp) => (joined.test(word) || !edge.test(word) ? word.replace(edge, "") : "");
  return words
    .filter((word) => !drop(word))
    .map((word) => restOf(restOf(word, otherStarts), otherEnds))
    .filter((word) => word !== "")
    .join(" ");
}

/** Returns whether a key alone names a time. */
export function namesTime(key: string): boolean {
  const words = wordsOf(key);
  return words.some((word) => timeWords.has(word)) && !words.some((word) => otherWords.has(word));
}

/** Returns whether a key or a description says that a number or text is not a position in the video. */
export function namesOther(key: string): boolean {
  return wordsOf(key).some((word) => otherWords.has(word));
}

/** Returns whether a description asks for a position in the video. */
export function describesTime(text: string): boolean {
  return /\bM{1,2}:SS\b|\btime ?stamps?\b|\btime ?codes?\b|\b(moment|time|point|position) (when|at which|that|where|in the video)\b|\b(from|since|into|after) the (start|beginning) of the (video|clip|recording)\b|\b(milli)?seconds? (from|since|into)\b/i.test(
    text,
  );
}

/** The milliseconds of the unit that a key or a description names; undefined without one. */
export function unitMs(key: string, description: string): number | undefined {
  const words = new Set(wordsOf(key));
  if (["ms", "msec", "millis", "milliseconds"].some((word) => words.has(word))) return 1;
  if (["s", "sec", "secs", "second", "seconds"].some((word) => words.has(word))) return 1000;
  if (/\bmilliseconds?\b|\bin ms\b/i.test(description)) return 1;
  return /\bseconds?\b/i.test(description) ? 1000 : undefined;
}
