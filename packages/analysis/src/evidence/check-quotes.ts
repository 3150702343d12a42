import type { VideoRun } from "../analysis-provider.ts";
import type { ClaimedSpan } from "./claim.ts";
import type { EvidenceChecks } from "./evidence-checks.ts";
import { containsQuote } from "./match-quote.ts";

/**
 * The limits of the search for quotes: how many frames are read, and about how many parts of the sound the model is
 * asked.
 */
const maxFrames = 32;
const maxSounds = 6;
/** Words may begin before, or end after, the second that the model names. */
const soundMarginMs = 1_500;
const maxSoundMs = 30_000;
const lastFrameMs = 100;

/**
 * The result of the search for quotes: for each span with a quote, whether it was found. Null if no check could look
 * there.
 */
export type QuoteResults = { found: ReadonlyMap<ClaimedSpan, boolean | null>; isComplete: boolean };

/** A place where a quote may be, and a function that reads or hears it. Equal places have equal keys. */
type Look = { key: string; at(): Promise<string | null> };

/**
 * Searches the quotes of spans: text on the frame in the middle of the span, then near its start and its end; speech in
 * its sound. Looks at each place once, even if several spans name it. A failed look leaves null.
 */
export async function checkQuotes(
  checks: Pick<EvidenceChecks, "readScreen" | "hear">,
  spans: readonly ClaimedSpan[],
  { durationMs, ...run }: VideoRun & { durationMs: number },
): Promise<QuoteResults> {
  const found = new Map<ClaimedSpan, boolean | null>();
  const seen = new Map<string, Promise<string | null>>();
  const left = { text: maxFrames, speech: maxSounds };
  let isComplete = true;
  for (const span of spans) {
    const { quote, modality } = span;
    if (quote === null || modality === "visual") continue;
    const looks = modality === "text" ? frames(span) : [sound(span)];
    const result = await search(looks, quote, modality).catch(() => "failed" as const);
    if (result === "failed" || result === "no budget") isComplete = false;
    found.set(span, typeof result === "string" ? null : result);
  }
  return { found, isComplete };

  /** Returns whether a quote was found; null if nothing could look there. */
  async function search(looks: readonly Look[], quote: string, modality: "text" | "speech") {
    let hasLooked = false;
    for (const { key, at } of looks) {
      if (!seen.has(key)) {
        if (left[modality] === 0) return hasLooked ? false : "no budget";
        run.signal.throwIfAborted();
        left[modality]--;
        seen.set(key, at());
      }
      const text = await seen.get(key);
      if (text === null || text === undefined) return null;
      const isThere = containsQuote(text, quote);
      if (isThere === undefined || isThere) return isThere ?? null;
      hasLooked = true;
    }
    return false;
  }

  function frames({ start_ms, end_ms }: ClaimedSpan): Look[] {
    const inset = Math.min(500, Math.round((end_ms - start_ms) / 4));
    const middle = Math.round((start_ms + end_ms) / 2);
    return [
      frame(middle, "all"),
      frame(middle, "bright"),
      frame(start_ms + inset, "all"),
      frame(end_ms - inset, "all"),
    ];
  }

  function frame(ms: number, reading: "all" | "bright"): Look {
    // The last frame begins before the end of the span.
    const atMs = Math.max(0, Math.min(ms, durationMs - lastFrameMs));
    return { key: `${reading} ${atMs}`, at: () => checks.readScreen({ atMs, reading }, run) };
  }

  function sound({ start_ms, end_ms }: ClaimedSpan): Look {
    const fromMs = Math.max(0, start_ms - soundMarginMs);
    const toMs = Math.min(durationMs, end_ms + soundMarginMs, fromMs + maxSoundMs);
    return { key: `sound ${fromMs} ${toMs}`, at: () => checks.hear({ fromMs, toMs }, run) };
  }
}
