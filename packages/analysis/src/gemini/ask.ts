import { createHash } from "node:crypto";
import type { Detail } from "@video-to-json/contract";
import type { LRUCache } from "lru-cache";
import type { Answer, Question, Rates, VideoFile } from "../analysis-provider.ts";
import { type Prices, priceOf, pricesOf } from "../prices.ts";
import { GeminiError } from "./gemini-error.ts";
import type { ModelPool } from "./model-pool.ts";
import type { ProviderCopy } from "./provider-copy.ts";
import { countTokens, isCutOff, modelOf, readAnswer, readTokenCount } from "./read-answer.ts";
import {
  hopelessPauseMs,
  isAboutModel,
  providerUnavailable,
  refusalOf,
  requestTooLarge,
  unreadableByProvider,
} from "./refusal.ts";
import { isTransient, type RetryContext, type RetryDeps, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";

export type AskDeps = RetryDeps & {
  readonly sdk: Pick<Sdk, "generate">;
  readonly copy: Pick<ProviderCopy, "ready" | "switchWay" | "markGone" | "markNotReady">;
  readonly pool: ModelPool;
  /** The schemas that a model refused, as `keyOf` names them. Their questions go without them. */
  readonly refusedSchemas: LRUCache<string, true>;
  /** Whether a 429 has ended the optional questions of this job, and whether an answer was cut off. */
  readonly state: { isOver: boolean; isCutOff: boolean };
  /** Prices of the settings, which replace those of the table. */
  readonly prices: Prices;
  /** What the operator allows a day, over all workers. */
  readonly spending?: Spending | undefined;
  readonly limits?: UsageLimits | undefined;
  /** Settings of single models. */
  readonly modelOptions: ModelOptions;
  /** The video of the copy. */
  readonly video: Pick<VideoFile, "durationMs" | "hasSound" | "detail" | "onTokens">;
};

/** What the operator allows a day, in dollars. */
export type Spending = {
  add(dollars: number): void;
  /** The share of the day's dollars that all workers have spent; 1 or more when nothing is left. */
  share(): number;
};

/** What each model may take, over all workers. */
export type UsageLimits = {
  /** How long to wait until the model has room for a question, in milliseconds; 0 for no time. */
  waitMs(model: string, isOptional: boolean): number;
  /** Counts a question that is sent now. */
  ask(model: string): void;
  /** Counts the tokens and the price of a question that was answered. */
  use(model: string, tokens: number, dollars: number): void;
};

/** Settings by model: how much it thinks, and how large the pictures of clips are. */
export type ModelOptions = {
  readonly thinkingLevels: Readonly<Record<string, string>>;
  readonly clipResolutions: Readonly<Record<string, string>>;
};

const maxNotReady = 5;
const notReadyPauseMs = 1_000;
/** The share of the day's dollars at which optional questions end. The alert fires there too. */
const optionalShare = 0.8;
/** A model that repeats itself stops here. After an answer was cut off, the job allows what the models allow. */
const outputLimits = { clip: 4_096, usual: 16_384, most: 65_536 };
const retryAfterMs = 60_000;

/**
 * Asks one question about the copy, or about the question's own clip. Each attempt goes to the first model of the list
 * that is open. When a model refuses the schema, asks without it: the prompt holds the schema too. Uploads a lost copy
 * again, and waits for one that is not ready.
 *
 * @throws NoAnswer; Problem, `OutOfQuota` if waiting does not help; the reason of `context.signal`.
 */
export async function ask(deps: AskDeps, context: RetryContext, question: Question): Promise<Answer> {
  const { pool, refusedSchemas, copy, observer, log } = deps;
  const { model: size, system, prompt, clip, responseSchema } = question;
  const isOptional = question.check !== undefined;
  // Only the first questions of jobs may pause the jobs that wait.
  const pausesJobs = !isOptional && size === "small";
  const retrying = pausesJobs ? deps : { ...deps, onRateLimited: () => {} };
  const run = createRunOfQuestion();
  for (let notReady = 0; ; ) {
    const video = clip ?? (await copy.ready());
    try {
      const response = await retryRequest(retrying, context, "generate", () => run.attempt(video), run);
      const { counted, dollars, tokens } = run.count(response);
      observer?.onTokens(size, counted, { dollars, check: question.check });
      deps.spending?.add(dollars);
      deps.limits?.use(run.model, counted.input + counted.output + counted.thinking, dollars);
      deps.video.onTokens?.(counted.input + counted.output + counted.thinking, dollars);
      if (isCutOff(response)) deps.state.isCutOff = true;
      if (tokens?.audio === 0 && (clip ? clip.isHeard : deps.video.hasSound)) {
        observer?.onSoundMissing();
        log.warn({ jobId: context.jobId, model: run.model, isClip: clip !== undefined }, "provider counted no sound");
      }
      const text = readAnswer(response, (clip ?? deps.video).durationMs);
      return { text, model: modelOf(response) ?? run.model, ...(tokens ? { tokens } : {}) };
    } catch (error) {
      if (!(error instanceof GeminiError)) throw error;
      const refusal = refusalOf(error, run.isConstrained());
      const { status, reason, errorInfo, message } = error;
      log.warn(
        { jobId: context.jobId, model: run.model, refusal, status, reason, errorInfo, providerError: message },
        "provider refused the question",
      );
      // A clip is sent with its question, so it does not help to wait for a file or to send it again.
      if (!("uri" in video) && refusal.startsWith("file-")) throw providerUnavailable(error, retryAfterMs);
      switch (refusal) {
        case "schema":
          run.dropSchema();
          break;
        case "unclear":
          if (!run.dropOptions() && !(isInlineCopy(video) && copy.switchWay())) {
            log.error(
              { jobId: context.jobId, model: run.model, providerError: message },
              "provider refuses a plain question",
            );
            throw providerUnavailable(error, retryAfterMs);
          }
          break;
        case "file-gone":
          copy.markGone();
          break;
        case "file-not-ready":
          if (++notReady > maxNotReady) throw providerUnavailable(error, retryAfterMs);
          copy.markNotReady();
          await deps.clock.wait(notReadyPauseMs, context.signal);
          break;
        case "media":
          throw unreadableByProvider(error);
        case "too-large":
          if (isInlineCopy(video) && !/token/i.test(message) && copy.switchWay()) break;
          throw requestTooLarge(error);
        case "unusable":
          // Some keys may ask, but may not use files; a proxy may not let large questions pass.
          if (!clip && status === 403 && copy.switchWay()) break;
          if (pausesJobs && (status === 401 || status === 402 || status === 403)) deps.onRateLimited(hopelessPauseMs);
          throw providerUnavailable(error, retryAfterMs);
        default:
          refusal satisfies never;
      }
    }
  }

  function isInlineCopy(video: object): boolean {
    return !clip && !("uri" in video);
  }

  /** The attempts of this question: which model gets it, and with what. */
  function createRunOfQuestion() {
    const schemaKey = responseSchema && createHash("sha256").update(JSON.stringify(responseSchema)).digest("hex");
    const keyOf = (model: string) => `${model} ${schemaKey}`;
    let model = pool.pick(size);
    let isPlain = false;
    let wasUnauthorised = false;
    const schemaFor = (model: string) => (refusedSchemas.has(keyOf(model)) ? null : responseSchema);
    return {
      get model() {
        return model;
      },
      isConstrained: () => schemaFor(model) !== null,
      dropSchema: () => void refusedSchemas.set(keyOf(model), true),
      /** Leaves out what not every model takes. Returns false if there is nothing to leave out. */
      dropOptions() {
        const hadOptions =
          !isPlain && (clip !== undefined || Object.values(looks[deps.video.detail ?? "standard"]).some(Boolean));
        isPlain = true;
        return hadOptions;
      },
      async attempt(video: Parameters<Sdk["generate"]>[0]["video"]) {
        model = pool.pick(size);
        if (isOptional && (deps.state.isOver || (deps.spending?.share() ?? 0) >= optionalShare || !pool.isOpen(model)))
          throw new GeminiError("The model has no room for optional questions.", { status: 429 });
        const { framesPerSecond, mediaResolution } = isPlain ? plainLook : looks[deps.video.detail ?? "standard"];
        const { thinkingLevels, clipResolutions } = deps.modelOptions;
        const thinkingLevel = thinkingLevels[model];
        const resolution = clip ? clipResolutions[model] : mediaResolution;
        const config = {
          ...generationConfig(schemaFor(model)),
          maxOutputTokens: deps.state.isCutOff ? outputLimits.most : clip ? outputLimits.clip : outputLimits.usual,
          ...(resolution && !isPlain ? { mediaResolution: resolution } : {}),
          ...(thinkingLevel && !isPlain ? { thinkingConfig: { thinkingLevel } } : {}),
        };
        try {
          const retryAfterMs = deps.limits?.waitMs(model, isOptional) ?? 0;
          if (retryAfterMs > 0)
            throw new GeminiError("The settings allow no more questions.", { status: 429, retryAfterMs });
          deps.limits?.ask(model);
          const request = {
            model,
            system,
            video,
            prompt,
            framesPerSecond: isPlain ? undefined : (clip?.framesPerSecond ?? framesPerSecond),
            config,
          };
          const response = await deps.sdk.generate(request, context.signal);
          pool.answered(model);
          return response;
        } catch (error) {
          if (!(error instanceof GeminiError)) throw error;
          // A quota that optional questions have used up may still take a first question.
          if (isOptional && error.status === 429) deps.state.isOver = true;
          else pool.failed(model, error);
          throw error;
        }
      },
      /** Returns the tokens of a response, their price, and what a clip of this video costs. */
      count(response: unknown) {
        const counted = countTokens(response);
        const dollars = priceOf(model, counted, deps.prices);
        const read = readTokenCount(response);
        const tokens = read && { total: read.total, audio: read.audio, dollars, rates: ratesOf(read) };
        return { counted, dollars, tokens };
      },
      isSwitch(error: GeminiError) {
        const isAboutThisModel =
          error.status === 503 || error.status === 429 || (error.status === 404 && isAboutModel(error));
        const next = pool.pick(size);
        const switches = isAboutThisModel && !isOptional && next !== model && pool.isOpen(next);
        if (switches) observer?.onFallback(size);
        return switches;
      },
      isRetryable(error: GeminiError) {
        if (isOptional && error.status === 429) return false;
        if (error.status !== 401) return isTransient(error);
        // Gemini answers 401 to some questions that take long, although it takes the key.
        const isRetryable = !wasUnauthorised && pool.hasAnsweredLately();
        wasUnauthorised = true;
        return isRetryable;
      },
    };
  }

  /** Clips go to the small model, in pictures of the usual size. Null without a count of the whole video's pictures. */
  function ratesOf(read: ReturnType<typeof readTokenCount>): Rates | null {
    if (clip || !read || read.video === 0) return null;
    const { framesPerSecond = 1, mediaResolution } = looks[deps.video.detail ?? "standard"];
    const seconds = Math.max(1, deps.video.durationMs / 1000);
    const { input, output } = pricesOf(pool.pick("small"), deps.prices);
    const perPicture =
      (read.video / (seconds * framesPerSecond)) * (mediaResolution === largePictures ? usualShare : 1);
    const perToken = input / 1_000_000;
    const sound = (read.audio ?? 0) / seconds;
    return {
      picture: perPicture * perToken,
      soundSecond: sound * perToken,
      input: perToken,
      output: output / 1_000_000,
    };
  }
}

/**
 * Constrains only the form of the answer. Newer models refuse temperature and penalties.
 */
function generationConfig(schema: Record<string, unknown> | null): Record<string, unknown> {
  return { responseMimeType: "application/json", ...(schema ? { responseJsonSchema: schema } : {}) };
}

/** How Gemini looks at a video. If a member is undefined, Gemini decides: one picture a second, in its usual size. */
type Look = { framesPerSecond: number | undefined; mediaResolution: string | undefined };

const largePictures = "MEDIA_RESOLUTION_HIGH";
/** A picture of the usual size has 70 tokens, a large one 280. */
const usualShare = 70 / 280;
const plainLook: Look = { framesPerSecond: undefined, mediaResolution: undefined };

/** docs/decisions/0014 */
export const looks: Record<Detail, Look> = {
  low: { framesPerSecond: 0.5, mediaResolution: "MEDIA_RESOLUTION_LOW" },
  standard: { framesPerSecond: undefined, mediaResolution: undefined },
  // Ten minutes need 336,000 tokens for pictures, a third of the limit of a question.
  high: { framesPerSecond: 2, mediaResolution: largePictures },
};
