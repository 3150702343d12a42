import { isJsonObject } from "@video-to-json/contract";
import { unspaced } from "@video-to-json/contract/languages";
import type { TimeClaim } from "@video-to-json/schema";
import type { SpokenWord, VideoRun } from "../analysis-provider.ts";
import { type QuoteChecks, type ScreenReading, type Script, scriptOf } from "./check-quotes.ts";
import type { Reading } from "./compare-words.ts";
import { plain, wordsOf } from "./tokens.ts";

/** Where words are heard, in milliseconds. */
type Heard = { startMs: number; endMs: number };

/** Measures times of an answer independently of the model. */
export type Witness = {
  /** Returns when the words beside a time begin or end; undefined if they are not heard, or more than once. */
  heard(claim: TimeClaim): number | undefined;
  /** Whether the screen shows that the text beside a time appears, or disappears, within a second of `ms`. */
  isEdgeAt(claim: TimeClaim, ms: number, run: VideoRun): Promise<boolean>;
  /** Returns when that text appears, or disappears, within twelve seconds of the time; undefined if never, or more than once. */
  findEdge(claim: TimeClaim, run: VideoRun): Promise<number | undefined>;
};

/** Shorter texts are on the screen too often. In scripts without spaces a word has two characters. */
const shortestText = 4;
const beginsUnspaced = new RegExp(`^${unspaced}`, "u");
const maxTexts = 3;
/** Fewer words, or fewer of them the same, may be an accident. */
const fewestWords = 3;
const sameShare = 0.7;
/** How many frames a job reads for its times, in each way. A frame takes up to 0.25 s of a processor the first way, 0.5 s the second way. */
const maxFrames = { first: 40, second: 24 };
/** How many frames the second way reads in search of a text that the first way does not show. */
const maxProbes = 4;
/** The frames on both sides of an edge, in milliseconds from where it should be. */
const edgeMs = 900;
/** A search reads a frame in so many milliseconds, so that neighbouring times share frames. */
const gridMs = 3_000;
const gridSteps = [0, 1, -1, 2, -2, 3, -3, 4, -4].map((step) => step - 0.5);
const lastFrameMs = 100;

/** The texts beside times, and where they are heard, by pointer of the time. */
export type Beside = { texts: ReadonlyMap<string, readonly string[]>; heard: ReadonlyMap<string, Heard> };

/** Returns the texts beside times in their objects, and where a recogniser heard them. For use inside the sandbox only. */
export function findBeside({
  dataText,
  pointers,
  words,
}: {
  dataText: string;
  pointers: readonly string[];
  words: readonly SpokenWord[];
}): Beside {
  const data: unknown = JSON.parse(dataText);
  const said = words.flatMap(({ text, ...at }) => spokenParts(text).map((part) => ({ part, ...at })));
  const texts = new Map<string, string[]>();
  const heard = new Map<string, Heard>();
  for (const pointer of pointers) {
    let node = data;
    for (const step of pointer.split("/").slice(1, -1)) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      node = typeof node === "object" && node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
    }
    if (!isJsonObject(node)) continue;
    const beside = Object.values(node).filter(
      (value): value is string =>
        typeof value === "string" &&
        value.length >= (beginsUnspaced.test(value) ? 2 : shortestText) &&
        !/^[\d:., ]+$/.test(value),
    );
    texts.set(pointer, beside.slice(0, maxTexts));
    const [place, ...others] = beside.flatMap((text) => placesOf(text, said));
    if (place && others.length === 0) heard.set(pointer, place);
  }
  return { texts, heard };
}

/** A recogniser cuts words of scripts without spaces elsewhere than a dictionary does, so their characters are compared. */
const spokenPart = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{M}\\p{N}])+`, "gu");

function spokenParts(text: string): string[] {
  return plain(text).match(spokenPart) ?? [];
}

/** Returns the places where most words of a text are said, in its order: a recogniser mishears some of them. */
function placesOf(text: string, said: readonly (Heard & { part: string })[]): Heard[] {
  if (wordsOf(text).length < fewestWords) return [];
  const wanted = spokenParts(text);
  let allowed = Math.floor((1 - sameShare) * wanted.length);
  let places: Heard[] = [];
  for (let from = 0; from + wanted.length <= said.length; from++) {
    let others = 0;
    for (let index = 0; index < wanted.length && others <= allowed; index++)
      if (wanted[index] !== said[from + index]?.part) others++;
    const [first, last] = [said[from], said[from + wanted.length - 1]];
    if (others > allowed || !first || !last) continue;
    if (others < allowed) places = [];
    allowed = others;
    places.push({ startMs: first.startMs, endMs: last.endMs });
  }
  return places;
}

type Way = { script: Script; reading: ScreenReading };

/** Opens a witness with what stands beside the times, and a reader of screens. It reads each frame once. */
export function openWitness(
  { texts, heard }: Beside,
  {
    readScreens,
    compare,
    durationMs,
    searches,
  }: {
    readScreens: QuoteChecks["readScreens"];
    compare: (words: { text: string; quote: string }, run: VideoRun) => Promise<Reading>;
    durationMs: number;
    /** Whether `findEdge` looks. It reads up to eighteen frames for a time, and the rest of a witness three. */
    searches: boolean;
  },
): Witness {
  const frames = {
    first: new Map<string, Promise<string | null>>(),
    second: new Map<string, Promise<string | null>>(),
  };
  const frameOf = (ms: number) => Math.max(0, Math.min(Math.round(ms / 100) * 100, durationMs - lastFrameMs));
  const keyOf = (script: Script, ms: number) => `${script} ${frameOf(ms)}`;
  /** Reads the frames that are not known, all of them together. */
  const readAll = (wanted: readonly number[], { script, reading }: Way, run: VideoRun) => {
    const known = frames[reading];
    const open = [...new Set(wanted.map(frameOf))].filter((atMs) => !known.has(keyOf(script, atMs)));
    const times = open.slice(0, maxFrames[reading] - known.size);
    if (times.length === 0) return;
    const texts = readScreens({ times, reading, script }, run).catch(() => null);
    for (const [index, atMs] of times.entries())
      known.set(
        keyOf(script, atMs),
        texts.then((all) => all?.[index] ?? null),
      );
  };
  const read = (ms: number, way: Way, run: VideoRun) => {
    readAll([ms], way, run);
    return frames[way.reading].get(keyOf(way.script, ms)) ?? null;
  };
  /** Returns the script of the texts beside a time; undefined if no reader knows it. Latin letters are read in any other. */
  const scriptBeside = ({ pointer }: TimeClaim): Script | undefined => {
    const known = (texts.get(pointer) ?? []).flatMap((text) => scriptOf(text) ?? []);
    return known.find((script) => script !== "Latin") ?? known[0];
  };
  // The texts of one video are alike: once only the second reading has shown one, it reads all further frames.
  let usual: ScreenReading = "first";
  let probes = 0;
  const seenFirst = new Set<string>();
  return {
    heard({ pointer, edge }) {
      const place = heard.get(pointer);
      return edge === "start" ? place?.startMs : place?.endMs;
    },
    async isEdgeAt(claim, ms, run) {
      const outward = claim.edge === "start" ? -1 : 1;
      await chooseReading(claim, ms - outward * edgeMs, run);
      if (!(await changesAt(claim, ms, edgeMs, run))) return false;
      // A single frame may be unreadable, so a second one beside it has to be without the text.
      const further = ms + outward * 2 * edgeMs;
      return further <= 0 || further >= durationMs || (await shownAt(claim, further, run))?.length === 0;
    },
    async findEdge(claim, run) {
      if (!searches) return undefined;
      const middle = Math.round((claim.fromMs + claim.toMs) / 2 / gridMs) * gridMs;
      const found: number[] = [];
      const places = gridSteps.map((step) => middle + step * gridMs).filter((ms) => ms > 0 && ms < durationMs);
      const around = places.flatMap((ms) => [ms - gridMs / 2, ms + gridMs / 2]);
      const script = scriptBeside(claim);
      if (script) readAll(around, { script, reading: usual }, run);
      for (const ms of places) if (await changesAt(claim, ms, gridMs / 2, run)) found.push(ms);
      const [at, ...others] = found;
      if (at === undefined || others.length > 0) return undefined;
      const inward = claim.edge === "start" ? 1 : -1;
      const isEarly = (await shownAt(claim, at, run))?.length !== 0;
      const nearer = at + (inward * (isEarly ? -1 : 1) * gridMs) / 4;
      const isEarlier = (await shownAt(claim, nearer, run))?.length !== 0;
      return nearer + (inward * (isEarlier ? -1 : 1) * gridMs) / 8;
    },
  };

  /** Uses the second reading from now on, if it finds a text at its time and the first reading has found that text nowhere. */
  async function chooseReading(claim: TimeClaim, ms: number, run: VideoRun): Promise<void> {
    if (usual === "second" || probes === maxProbes || (await shownAt(claim, ms, run))?.length !== 0) return;
    if ((texts.get(claim.pointer) ?? []).some((text) => seenFirst.has(text))) return;
    probes++;
    if ((await shownAt(claim, ms, run, "second"))?.length) usual = "second";
  }

  /** Returns the texts beside a time that a frame shows; null if nothing can be read. */
  async function shownAt(
    claim: TimeClaim,
    ms: number,
    run: VideoRun,
    reading: ScreenReading = usual,
  ): Promise<string[] | null> {
    const [beside, script] = [texts.get(claim.pointer) ?? [], scriptBeside(claim)];
    const text = script === undefined ? null : await read(ms, { script, reading }, run);
    if (text === null) return null;
    const there = await Promise.all(beside.map((quote) => compare({ text, quote }, run)));
    // The same words with another number are the same text, which the answer has misread.
    const shown = beside.filter((_, index) => there[index]?.found || there[index]?.differs);
    if (reading === "first") for (const quote of shown) seenFirst.add(quote);
    return shown;
  }

  /** Returns whether a text is there on the inner side of an edge and not on the other; null if none is there. */
  async function changesAt(claim: TimeClaim, ms: number, apartMs: number, run: VideoRun): Promise<boolean | null> {
    const inward = claim.edge === "start" ? apartMs : -apartMs;
    const inside = await shownAt(claim, ms + inward, run);
    if (inside === null || inside.length === 0) return null;
    const outside = await shownAt(claim, ms - inward, run);
    return outside && inside.some((text) => !outside.includes(text));
  }
}
