import { createHash } from "node:crypto";
import { type Detail, Problem } from "@video-to-json/contract";
import { type Clock, retry } from "@video-to-json/runtime/timing";
import type { LRUCache } from "lru-cache";
import {
  type Answer,
  NoAnswer,
  type ProviderObserver,
  type Question,
  type Rates,
  unavailableReason,
  type VideoFile,
  type VideoRun,
} from "../analysis-provider.ts";
import { type Price, priceOf } from "../prices.ts";
import { ChatError, type ChatServer, type Completion } from "./chat-server.ts";
import { type Shown, writeMessages } from "./write-messages.ts";

type ChatModels = { small: string; large: string; clips: string };

export type AskDeps = {
  readonly server: Pick<ChatServer, "complete">;
  readonly models: ChatModels;
  /** What a question and its answer may have together. */
  readonly contextTokens: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly price: Price;
  /** The schemas that a model refused: its name, and the hash of the schema. */
  readonly refusedSchemas: LRUCache<string, true>;
  /** The tokens that a picture has at least if the server has read it. */
  leastPictureTokens(): number;
  readonly clock: Clock;
  readonly log: Record<"info" | "warn" | "error", (obj: object, msg: string) => void>;
  onRateLimited(delayMs: number): void;
  readonly observer?: Pick<ProviderObserver, "onRetry" | "onTokens"> | undefined;
  readonly spending?: { add(dollars: number): void; share(): number } | undefined;
};

/** The pictures a second and the longest side of pictures of the whole video. */
export const looks: Record<Detail, { framesPerSecond: number; maxSide: number }> = {
  low: { framesPerSecond: 0.5, maxSide: 320 },
  standard: { framesPerSecond: 1, maxSide: 448 },
  high: { framesPerSecond: 2, maxSide: 768 },
};
/** Servers refuse more pictures, or die of them. */
export const maxPictures = 600;
const outputTokens = { whole: 8_192, clip: 4_096 };
/** A server that refuses a half and a quarter of the pictures refuses the question for another reason. */
const maxHalvings = 2;
/** The share of the day's dollars at which optional questions end. */
const optionalShare = 0.8;
const maxServerErrors = 2;
const maxBreaks = 3;
const retryAfterMs = 60_000;
const million = 1_000_000;

const aboutSchema = /grammar|schema|parser|xgrammar|llguidance|structured|response_format/i;
const aboutLength = /context|max_model_len|too long|encoder cache|too many (images|videos)|at most \d+ (image|video)/i;

/**
 * Asks one question about what is shown. When the server refuses the schema, asks without it:
 * the prompt holds the schema too. When it refuses the length, asks with half of the pictures.
 *
 * @throws NoAnswer; Problem `provider_unavailable` or `extraction_failed`; the reason of the run's signal.
 */
export async function ask(
  deps: AskDeps,
  video: VideoFile,
  taken: Shown,
  question: Question,
  run: VideoRun,
): Promise<Answer> {
  const { log, models, observer } = deps;
  const { model: size, clip, check, responseSchema } = question;
  const model = clip && size === "small" ? models.clips : models[size];
  const facts = { jobId: video.jobId, model };
  const maxTokens = Math.min(clip ? outputTokens.clip : outputTokens.whole, Math.floor(deps.contextTokens / 4));
  const keyOfSchema = `${model} ${createHash("sha256").update(JSON.stringify(responseSchema)).digest("hex")}`;
  const most = picturesWithin(maxTokens);
  let shown = (most < taken.pictures && (await taken.thinner(most, run.signal))) || taken;
  if (shown.pictures < taken.pictures)
    log.info({ ...facts, of: taken.pictures, pictures: shown.pictures }, "fewer pictures");
  for (let halvings = 0; ; ) {
    // Some engines close objects that the schema leaves open, so the last attempt has no schema.
    const schema = size === "large" || deps.refusedSchemas.has(keyOfSchema) ? null : responseSchema;
    try {
      const completion = await retry(() => complete(schema), retryPolicy());
      const counted = completion.tokens;
      const dollars = counted ? priceOf(model, counted, { [model]: deps.price }) : 0;
      if (counted) {
        const total = counted.input + counted.output;
        observer?.onTokens(size, counted, { dollars, check });
        deps.spending?.add(dollars);
        video.onTokens?.(total, dollars);
      }
      const text = readAnswer(completion, shown.pictures * shown.share * deps.leastPictureTokens());
      const tokens = counted && {
        total: counted.input + counted.output,
        audio: null,
        dollars,
        rates: ratesOf(counted),
      };
      return { text, model: completion.model ?? model, ...(tokens ? { tokens } : {}) };
    } catch (error) {
      run.signal.throwIfAborted();
      if (!(error instanceof ChatError)) throw error;
      const { status, message } = error;
      log.warn({ ...facts, status, providerError: message }, "the server did not answer the question");
      if (status === 400 && schema && aboutSchema.test(message)) {
        deps.refusedSchemas.set(keyOfSchema, true);
      } else if (status === 413 || (status === 400 && aboutLength.test(message))) {
        const half = halvings++ < maxHalvings && shown.pictures > 1 && shown.thinner(shown.pictures >> 1, run.signal);
        if (!half) throw tooLarge(error);
        shown = await half;
      } else {
        if (status !== null && status < 500 && status !== 408 && status !== 429)
          log.error({ ...facts, status, providerError: message }, "the server refuses the settings of the provider");
        throw unavailable(error, error.retryAfterMs ?? retryAfterMs);
      }
    }
  }

  /** An estimate: four characters of text are a token or more. */
  function picturesWithin(maxTokens: number): number {
    const text = Math.ceil((question.system.length + question.prompt.length + taken.words) / 3);
    const { maxSide } = looks[video.detail ?? "standard"];
    const left = deps.contextTokens - maxTokens - text;
    return Math.max(1, Math.min(maxPictures, Math.floor(left / (taken.share * pictureTokens(maxSide)))));
  }

  function complete(schema: Record<string, unknown> | null) {
    if (check && (deps.spending?.share() ?? 0) >= optionalShare)
      throw new ChatError("The day's dollars leave nothing for optional questions.", { status: 429 });
    const body = {
      model,
      messages: writeMessages(question, shown),
      max_tokens: maxTokens,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
      ...(schema ? { response_format: jsonSchema(schema) } : {}),
      ...deps.extraBody,
    };
    return deps.server.complete(body, run.signal, video.jobId);
  }

  function retryPolicy() {
    return {
      ...{ minDelayMs: 500, maxDelayMs: 16_000, jitter: 0.5, signal: run.signal, clock: deps.clock },
      maxElapsedMs: Math.max(0, (run.deadline.getTime() - deps.clock.now()) * (7 / 8)),
      isTransient(error: unknown, attempt: number) {
        if (!(error instanceof ChatError)) return false;
        const { status } = error;
        if (status === null || status === 408) return attempt < maxBreaks;
        // A check gives way to first questions.
        if (status === 429 || status === 503) return check === undefined;
        return status >= 500 && attempt < maxServerErrors;
      },
      delayMs: (error: unknown) => (error as ChatError).retryAfterMs,
      onRetry({ error, delayMs }: { error: unknown; delayMs: number }) {
        const { status, message } = error as ChatError;
        if (status === 429 && !check) deps.onRateLimited(delayMs);
        observer?.onRetry(status);
        log.info({ ...facts, status, providerError: message, delayMs }, "server unavailable; retrying");
      },
    };
  }

  /** Clips have pictures of the same size. Their sound costs nothing, because nobody hears it. */
  function ratesOf({ input }: { input: number }): Rates | null {
    if (clip || shown.pictures === 0) return null;
    const perToken = deps.price.input / million;
    const text = (question.system.length + question.prompt.length) / 4;
    const picture = (Math.max(0, input - text) / shown.pictures) * perToken;
    return { picture, soundSecond: 0, input: perToken, output: deps.price.output / million };
  }
}

export function jsonSchema(schema: Record<string, unknown>) {
  return { type: "json_schema", json_schema: { name: "answer", strict: true, schema } };
}

/** A wide picture in squares of 28 pixels, as most models count, and its time. */
function pictureTokens(maxSide: number): number {
  return Math.ceil((maxSide * maxSide * 9) / 16 / 784) + 12;
}

function unavailable(cause: unknown, delayMs: number): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil(delayMs / 1000));
  return new Problem("provider_unavailable", { reason: unavailableReason }, { retryAfterSeconds, cause });
}

function tooLarge(cause: unknown): Problem {
  const details = [": the request is too large to be analysed"];
  return new Problem("extraction_failed", { reason: "request_too_large" }, { details, cause });
}

/**
 * Returns the text of an answer, without the fence around it if it has one. Throws NoAnswer when the model stopped early,
 * declined, wrote nothing, or when the server read fewer tokens than the pictures have.
 */
function readAnswer({ content, reasoning, finishReason, tokens }: Completion, leastTokens: number): string {
  if (finishReason === "length")
    throw new NoAnswer("the answer was cut off for its length; a shorter one is needed", content);
  if (finishReason === "content_filter") throw new NoAnswer("the analysis declined to answer");
  if (finishReason !== "stop") throw new NoAnswer("the analysis stopped without an answer");
  // Some servers cut a question that is too long for them, and answer the rest.
  if (tokens && tokens.input < leastTokens) throw new NoAnswer("the analysis did not receive the video");
  const text = withoutFence(content.trim() === "" && isJson(reasoning) ? reasoning : content);
  if (text.trim() === "") throw new NoAnswer("the answer was empty");
  return text;
}

function withoutFence(text: string): string {
  return /^\s*```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** With constrained answers, some servers put the whole answer where thoughts belong. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
