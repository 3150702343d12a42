import type { VideoRun } from "../analysis-provider.ts";
import type { ClaimedSpan } from "./claim.ts";
import type { EvidenceChecks } from "./evidence-checks.ts";
import { containsQuote } from "./match-quote.ts";

/** What the looks for quotes may cost: frames that are read, and parts of the sound that are asked about. */
const maxFrames = 32;
const maxSounds = 6;
/** Words may begin before, or end after, the second that the model names. */
const soundMarginMs = 1_500;
const maxSoundMs = 30_000;
const lastFrameMs = 100;

/** The result of the looks for quotes: of each span that has a quote, whether it was found; null: nobody could look. */
export type QuoteResults = { found: ReadonlyMap<ClaimedSpan, boolean | null>; isComplete: boolean };

/** Where a quote may be, and how to read or hear what is there. The key is the same for the same place. */
type Look = { key: string; at(): Promise<string | null> };

/**
 * Looks for the quotes of spans: for text on the frame in the middle of the span, then near its start and its end; for
 * speech in its sound. The same place is looked at once, however many spans name it. A look that fails leaves null.
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

  /** Returns whether a quote was found; null where nobody can look. */
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
    // The last frame begins before the end.
    const atMs = Math.max(0, Math.min(ms, durationMs - lastFrameMs));
    return { key: `${reading} ${atMs}`, at: () => checks.readScreen({ atMs, reading }, run) };
  }

  function sound({ start_ms, end_ms }: ClaimedSpan): Look {
    const fromMs = Math.max(0, start_ms - soundMarginMs);
    const toMs = Math.min(durationMs, end_ms + soundMarginMs, fromMs + maxSoundMs);
    return { key: `sound ${fromMs} ${toMs}`, at: () => checks.hear({ fromMs, toMs }, run) };
  }
}
