import type { Detail } from "@video-to-json/contract";
import type { Answer, Question, VideoFile } from "../analysis-provider.ts";
import { GeminiError } from "./gemini-error.ts";
import type { ProviderCopy } from "./provider-copy.ts";
import { countTokens, modelOf, readAnswer, readTokenCount } from "./read-answer.ts";
import { providerUnavailable, refusalOf, requestTooLarge, unreadableByProvider } from "./refusal.ts";
import { type RetryContext, type RetryDeps, retryRequest } from "./retry-request.ts";
import type { Sdk } from "./sdk.ts";

export type AskDeps = RetryDeps & {
  readonly sdk: Pick<Sdk, "generate">;
  readonly copy: Pick<ProviderCopy, "ready" | "markGone" | "markNotReady">;
  readonly models: Record<Question["model"], string>;
  /** The models that refused the schema of the answer. From then on the provider gets their questions without it. */
  readonly refusedSchema: Set<string>;
  /** The video of the copy. */
  readonly video: Pick<VideoFile, "durationMs" | "hasSound" | "detail" | "onTokens">;
};

const maxNotReady = 5;
const notReadyPauseMs = 1_000;
const retryAfterMs = 60_000;

/**
 * Asks one question about the copy, or about the question's own clip. When the model refuses the schema, asks without it: the prompt holds the schema
 * too. Uploads a lost copy again, and waits for one that is not ready.
 *
 * @throws NoAnswer; Problem; the reason of `context.signal`.
 */
export async function ask(deps: AskDeps, context: RetryContext, question: Question): Promise<Answer> {
  const model = deps.models[question.model];
  const { system, prompt, clip } = question;
  // A clip's answer has a different schema from the job's answer.
  const refused = clip ? new Set<string>() : deps.refusedSchema;
  const { framesPerSecond, mediaResolution } = looks[deps.video.detail ?? "standard"];
  for (let notReady = 0; ; ) {
    const video = clip ?? (await deps.copy.ready());
    const schema = refused.has(model) ? null : question.responseSchema;
    try {
      const response = await retryRequest(deps, context, "generate", () =>
        deps.sdk.generate(
          {
            ...{ model, system, video, prompt, framesPerSecond },
            config: { ...generationConfig(schema), ...(mediaResolution && !clip ? { mediaResolution } : {}) },
          },
          context.signal,
        ),
      );
      const counted = countTokens(response);
      deps.observer?.onTokens(question.model, counted);
      deps.video.onTokens?.(counted.input + counted.output + counted.thinking);
      const tokens = readTokenCount(response);
      if (tokens?.audio === 0 && (clip ? clip.isHeard : deps.video.hasSound)) {
        deps.observer?.onSoundMissing();
        deps.log.warn({ jobId: context.jobId, model, isClip: clip !== undefined }, "provider counted no sound");
      }
      const text = readAnswer(response, (clip ?? deps.video).durationMs);
      return { text, model: modelOf(response) ?? model, ...(tokens ? { tokens } : {}) };
    } catch (error) {
      if (!(error instanceof GeminiError)) throw error;
      const refusal = refusalOf(error, schema !== null);
      const { status, reason, errorInfo, message } = error;
      deps.log.warn(
        { jobId: context.jobId, model, refusal, status, reason, errorInfo, providerError: message },
        "provider refused the question",
      );
      // A clip is sent with its question, so it does not help to wait for a file or to send it again.
      if (clip && refusal.startsWith("file-")) throw providerUnavailable(error, retryAfterMs);
      switch (refusal) {
        case "schema":
          refused.add(model);
          break;
        case "file-gone":
          deps.copy.markGone();
          break;
        case "file-not-ready":
          if (++notReady > maxNotReady) throw providerUnavailable(error, retryAfterMs);
          deps.copy.markNotReady();
          await deps.clock.wait(notReadyPauseMs, context.signal);
          break;
        case "media":
          throw unreadableByProvider(error);
        case "too-large":
          throw requestTooLarge(error);
        case "unusable":
          throw providerUnavailable(error, retryAfterMs);
        default:
          refusal satisfies never;
      }
    }
  }
}

/**
 * Constrains only the form of the answer. Newer models refuse temperature and penalties. We set no token limit, so the
 * answer and its thinking may be as long as the model allows.
 */
function generationConfig(schema: Record<string, unknown> | null): Record<string, unknown> {
  return { responseMimeType: "application/json", ...(schema ? { responseJsonSchema: schema } : {}) };
}

/** How Gemini looks at a video. If a member is undefined, Gemini decides: one picture a second, in its usual size. */
type Look = { framesPerSecond: number | undefined; mediaResolution: string | undefined };

/** docs/decisions/0014 */
export const looks: Record<Detail, Look> = {
  low: { framesPerSecond: 0.5, mediaResolution: "MEDIA_RESOLUTION_LOW" },
  standard: { framesPerSecond: undefined, mediaResolution: undefined },
  // Ten minutes need 336,000 tokens for pictures, a third of the limit of a question.
  high: { framesPerSecond: 2, mediaResolution: "MEDIA_RESOLUTION_HIGH" },
};
