/** Returns the words of a key in lower case: goal, starts, at for `goalStartsAt`. */
function wordsOf(key: string): string[] {
  const spaced = key.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.match(/\p{L}+|\d+/gu) ?? [];
}

/** The role of a time. `start`: its key says that something lasts. */
export type TimeRole = "start" | "end" | "moment";

const startWords = new Set(["start", "starts", "started", "begin", "begins", "began", "beginning", "onset", "in"]);
const endWords = new Set(["end", "ends", "ended", "ending", "stop", "stops", "finish", "finishes", "until", "out"]);
const timeWords = new Set(
  [
    "at",
    "time",
    "timestamp",
    "timestamps",
    "times",
    "timecode",
    "moment",
    "when",
    "position",
    "offset",
    "clock",
  ].concat(...[startWords, endWords].map((words) => [...words].filter((word) => word !== "in" && word !== "out")), [
    "from",
    "to",
    "since",
    "till",
    "appears",
    "disappears",
    "occurs",
    "mark",
  ]),
);
const unitWords = new Set(["s", "sec", "secs", "second", "seconds", "ms", "msec", "millis", "milliseconds"]);
/** A number or clock with one of these words is not a position in the video. */
const otherWords = new Set(
  [
    "duration",
    "length",
    "lasts",
    "runtime",
    "elapsed",
    "remaining",
    "score",
    "ratio",
    "aspect",
    "pace",
    "count",
  ].concat([
    "number",
    "index",
    "interval",
    "gap",
    "total",
    "average",
    "age",
    "year",
    "date",
    "price",
    "speed",
    "percent",
  ]),
);

/** Returns the role of a time according to its key. */
export function roleOf(key: string): TimeRole {
  const words = wordsOf(key);
  const [only] = words.length === 1 ? words : [];
  if (only === "from") return "start";
  if (only === "to" || only === "till" || words.some((word) => endWords.has(word) && isEdge(word, words))) return "end";
  return words.some((word) => startWords.has(word) && isEdge(word, words)) ? "start" : "moment";
}

/** `in` and `out` are edges only at the end of a key, as in `mark_in`. */
function isEdge(word: string, words: readonly string[]): boolean {
  return (word !== "in" && word !== "out") || (words.length > 1 && words.at(-1) === word);
}

/** Returns the rest of a key without its role, its unit and words that only say that it is a time. */
export function stemOf(key: string): string {
  const drop = (word: string) =>
    startWords.has(word) || endWords.has(word) || timeWords.has(word) || unitWords.has(word);
  return wordsOf(key)
    .filter((word) => !drop(word))
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
