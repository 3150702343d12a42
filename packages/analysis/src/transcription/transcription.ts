import { isJsonObject } from "@video-to-json/contract";
import { retry } from "@video-to-json/runtime/timing";
import { FormData, request } from "undici";
import type { SpokenWord } from "../analysis-provider.ts";
import { openAgent, type ServerOptions } from "../chat/chat-server.ts";

export type TranscriptionOptions = Pick<ServerOptions, "proxy" | "resolve"> & {
  /** Up to `/v1`. */
  url: string;
  apiKey: string | undefined;
  model: string;
  log: { warn(obj: object, msg: string): void };
  /** Called after each transcription with how it ended. */
  onEnd?(outcome: "heard" | "failed"): void;
};

/** Returns the sound from `fromMs` to `toMs`, as a file. */
export type TakeSound = (span: { fromMs: number; toMs: number }, signal: AbortSignal) => Promise<Uint8Array>;

/** A recogniser of speech at an address. */
export type Transcription = {
  /**
   * Returns the words of a video of `durationMs`, in order; null if the recogniser or the sound failed, which never fails a job.
   * Rejects only when `signal` aborts.
   */
  transcribe(
    jobId: string,
    durationMs: number,
    takeSound: TakeSound,
    signal: AbortSignal,
  ): Promise<SpokenWord[] | null>;
  close(): Promise<void>;
};

const pieceMs = 300_000;
const silenceMs = 120_000;
const maxReplyBytes = 8 * 1024 * 1024;
/** More than anybody says in ten minutes. */
const maxWords = 10_000;
const maxWordLength = 200;
const roundingMs = 1000;

/**
 * Opens a recogniser that speaks OpenAI's `/audio/transcriptions`, as vLLM, faster-whisper and whisper.cpp do. Throws when the
 * address has http and is public.
 */
export function openTranscription(options: TranscriptionOptions): Transcription {
  const { url, apiKey, model, log, onEnd = () => {} } = options;
  const agent = openAgent("TRANSCRIPTION_URL", url, options);
  const address = `${new URL(url).href.replace(/\/+$/, "")}/audio/transcriptions`;
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};

  async function ask(sound: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const form = new FormData();
    form.set("model", model);
    form.set("response_format", "verbose_json");
    form.set("timestamp_granularities[]", "word");
    form.set("file", new Blob([new Uint8Array(sound)], { type: "audio/mp4" }), "sound.m4a");
    const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
    const reply = await request(address, {
      ...{ dispatcher: agent, method: "POST", headers, body: form, signal, ...limits },
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of reply.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxReplyBytes) throw new Error(`The reply is larger than ${maxReplyBytes} bytes.`);
      pieces.push(piece);
    }
    const text = Buffer.concat(pieces).toString("utf8");
    if (reply.statusCode !== 200) throw new RefusedSound(reply.statusCode, text.slice(0, 300));
    return JSON.parse(text);
  }

  return {
    async transcribe(jobId, durationMs, takeSound, signal) {
      const words: SpokenWord[] = [];
      try {
        for (let fromMs = 0; fromMs < durationMs; fromMs += pieceMs) {
          const toMs = Math.min(durationMs, fromMs + pieceMs);
          const sound = await takeSound({ fromMs, toMs }, signal);
          const reply = await retry(() => ask(sound, signal), {
            ...{ minDelayMs: 500, maxDelayMs: 4000, maxElapsedMs: silenceMs, signal },
            isTransient: (error, attempt) => attempt < 3 && (!(error instanceof RefusedSound) || error.isTransient),
          });
          words.push(...wordsOf(reply, { fromMs, toMs }));
        }
        onEnd("heard");
        return words.slice(0, maxWords);
      } catch (error) {
        signal.throwIfAborted();
        onEnd("failed");
        log.warn({ jobId, err: error }, "speech not transcribed; the job goes on without its words");
        return null;
      }
    },
    close: () => agent.destroy(),
  };
}

class RefusedSound extends Error {
  readonly isTransient: boolean;

  constructor(status: number, words: string) {
    super(`The recogniser answered ${status}: ${words}`);
    this.isTransient = status === 429 || status >= 500;
  }
}

/** Reads the words of a reply; those of its segments from a server that gives no times of words. */
function wordsOf(reply: unknown, piece: { fromMs: number; toMs: number }): SpokenWord[] {
  if (!isJsonObject(reply)) throw new Error("The recogniser answered something else than an object.");
  const { words, segments, text } = reply;
  const list = Array.isArray(words) && words.length > 0 ? words : segments;
  if (!Array.isArray(list)) {
    if (typeof text === "string" && text.trim() === "") return [];
    throw new Error("The recogniser gives no times: it has to know `verbose_json`.");
  }
  // A word outside the sound has a wrong time, and would witness a wrong one. Recognisers round at the end.
  const inPiece = (seconds: unknown) => {
    const ms = typeof seconds === "number" ? piece.fromMs + Math.round(seconds * 1000) : Number.NaN;
    return ms >= piece.fromMs && ms <= piece.toMs + roundingMs ? Math.min(ms, piece.toMs) : Number.NaN;
  };
  return list.slice(0, maxWords).flatMap((entry: unknown): SpokenWord[] => {
    if (!isJsonObject(entry)) return [];
    const words = String(entry.word ?? entry.text ?? "");
    const clean = words
      .replace(/\p{C}+/gu, " ")
      .trim()
      .slice(0, maxWordLength);
    const [startMs, endMs] = [inPiece(entry.start), inPiece(entry.end)];
    return clean && startMs <= endMs ? [{ text: clean, startMs, endMs }] : [];
  });
}

/** A pause that ends a sentence, and the longest line. */
const pauseMs = 700;
const lineLength = 120;

/** Returns what is said as lines, each after its time. */
export function spokenLines(words: readonly SpokenWord[], write: (ms: number) => string): string[] {
  const lines: { at: number; text: string; endMs: number }[] = [];
  for (const { text, startMs, endMs } of words) {
    const last = lines.at(-1);
    if (last && startMs - last.endMs < pauseMs && last.text.length + text.length < lineLength) {
      last.text += ` ${text}`;
      last.endMs = endMs;
    } else lines.push({ at: startMs, text, endMs });
  }
  return lines.map(({ at, text }) => `${write(at)} ${text}`);
}

/** Returns what is said within a span, as one text. */
export function spokenWithin(words: readonly SpokenWord[], { fromMs, toMs }: { fromMs: number; toMs: number }): string {
  return words
    .filter(({ startMs, endMs }) => startMs < toMs && endMs > fromMs)
    .map(({ text }) => text)
    .join(" ");
}
