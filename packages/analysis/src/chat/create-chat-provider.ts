import { Problem } from "@video-to-json/contract";
import { type Clock, systemClock } from "@video-to-json/runtime/timing";
import { fullDialect } from "@video-to-json/schema";
import { LRUCache } from "lru-cache";
import {
  type ClipVideo,
  type OperatedProvider,
  type ProviderCapabilities,
  type SpokenWord,
  unavailableReason,
  type VideoFile,
} from "../analysis-provider.ts";
import { type AskDeps, ask, looks, maxPictures } from "./ask.ts";
import { openChatServer, type ServerOptions } from "./chat-server.ts";
import { checkModels } from "./check-models.ts";
import { type Shown, type Speech, showPictures, showVideo, type TimeText, type VideoForm } from "./write-messages.ts";

type ChatOptions = ServerOptions &
  Pick<AskDeps, "models" | "contextTokens" | "extraBody" | "price" | "spending" | "observer" | "log"> & {
    timeText: TimeText;
    videoForm: VideoForm;
    observer?: ServerOptions["observer"] & AskDeps["observer"];
    /** Called after every 429 with the pause until the next request, in milliseconds. */
    onRateLimited?(delayMs: number): void;
    /** Tests replace it. */
    clock?: Clock;
  };

const containers = ["mp4", "mov", "3gp", "webm", "matroska", "avi", "mpegts", "mpeg", "flv", "ogg", "asf"];

/** No video is sent, so everything is readable of which ffmpeg takes the usual pictures. */
const capabilities: ProviderCapabilities = {
  media: {
    containers: Object.fromEntries(containers.map((name) => [name, "any" as const])),
    videoCodecs: [
      ...["h264", "hevc", "vvc", "av1", "vp8", "vp9", "vp6f", "theora", "mpeg4", "mpeg2video", "mpeg1video", "h263"],
      ...["flv1", "msmpeg4v1", "msmpeg4v2", "msmpeg4v3", "wmv1", "wmv2", "wmv3", "vc1", "mjpeg", "prores", "dnxhd"],
    ],
    maxFileBytes: Number.MAX_SAFE_INTEGER,
  },
  maxClipBytes: 64_000_000,
  schemaDialect: fullDialect,
  hearsSound: false,
};

/** About what six hundred pictures have at their best; servers hold a question in memory several times. */
const maxVideoBytes = 48_000_000;
/** The fewest tokens that a server counts for a picture. */
const leastPictureTokens = 16;
/** Pictures of the least size have half as many tokens as those of the check, and its prompt is an estimate. */
const shareOfChecked = 1 / 4;
const refusedSchemaMs = 600_000;
const spentRetryMs = 900_000;

/**
 * Creates the provider for a server of chat completions, such as vLLM, llama.cpp or Ollama: it asks with pictures inside
 * each question. The server stores no copy. Close it to end its connections. Throws when `baseUrl` has http and a public address.
 */
export function createChatProvider(options: ChatOptions): OperatedProvider {
  const { models, timeText, extraBody, log, spending, onRateLimited = () => {}, clock = systemClock } = options;
  const server = openChatServer(options);
  let least = leastPictureTokens;
  let refusal: Error | undefined;
  const deps: AskDeps = {
    ...options,
    ...{ server, onRateLimited, clock },
    refusedSchemas: new LRUCache<string, true>({ max: 1000, ttl: refusedSchemaMs }),
    leastPictureTokens: () => least,
  };
  return {
    capabilities,
    address: options.baseUrl,
    async withVideo(video, run, use) {
      if (spending && spending.share() >= 1) {
        const cause = new Error("What the operator allows a day (PROVIDER_DOLLARS_PER_DAY) is spent.");
        const retryAfterSeconds = spentRetryMs / 1000;
        throw new Problem("provider_unavailable", { reason: unavailableReason }, { retryAfterSeconds, cause });
      }
      const hear = async (signal: AbortSignal): Promise<Speech> => ({
        words: (await video.words?.(signal)) ?? null,
        maxCharacters: Math.floor(options.contextTokens * shareOfWords),
      });
      const [whole, speech] = await Promise.all([
        hear(run.signal).then((speech) => showWhole(video, { ...options, speech }, run.signal)),
        hear(run.signal),
      ]);
      return use(async (question, own = run) => {
        const { fromMs: shift = 0 } = video;
        const inWhole = ({ text, startMs, endMs }: SpokenWord) => ({
          text,
          startMs: startMs + shift,
          endMs: endMs + shift,
        });
        // A clip's times are those of the whole video.
        const words = speech.words?.map(inWhole) ?? null;
        const showing = { ...options, speech: { ...speech, words } };
        const shown = question.clip ? await showClip(video, question.clip, showing, own.signal) : whole;
        return ask(deps, video, shown, question, own).then(
          (answer) => {
            refusal = undefined;
            return answer;
          },
          (error: Error) => {
            if (isRefusal(error.cause)) refusal = error.cause;
            throw error;
          },
        );
      });
    },
    deleteCopies: async () => 0,
    cancelUploads: async () => {},
    reach: () => server.reach(),
    async access() {
      if (refusal) throw refusal;
    },
    async check() {
      const deps = { server, models: [...new Set(Object.values(models))], timeText, extraBody, log };
      const { checks, pictureTokens } = await checkModels(deps);
      if (pictureTokens !== null) least = Math.max(leastPictureTokens, pictureTokens * shareOfChecked);
      return checks;
    },
    close: () => server.close(),
  };
}

/** How the provider shows a video to a model. */
type Showing = { timeText: TimeText; videoForm: VideoForm; speech: Speech };

/** Characters of what is said, for each token that a question may have: about a quarter of them. */
const shareOfWords = 3 / 4;

async function showWhole(
  video: VideoFile,
  { timeText, videoForm, speech }: Showing,
  signal: AbortSignal,
): Promise<Shown> {
  const { detail = "standard", durationMs } = video;
  const { maxSide, framesPerSecond: usual } = looks[detail];
  const framesPerSecond = Math.min(usual, maxPictures / Math.max(1, durationMs / 1000));
  if (videoForm === "pictures")
    return showPictures(await take(video, { framesPerSecond, maxSide, maxPictures }, signal), timeText, speech);
  const encode = async (framesPerSecond: number, signal: AbortSignal) => {
    if (!video.takeVideo) throw new Error("The video comes without a way to encode it.");
    const mp4 = await video.takeVideo({ framesPerSecond, maxSide, maxBytes: maxVideoBytes }, signal);
    return { mp4, framesPerSecond, durationMs };
  };
  return showVideo(videoForm, await encode(framesPerSecond, signal), speech, undefined, encode);
}

/** A clip has a constant rate, a clock and no sound already. */
async function showClip(
  video: VideoFile,
  clip: ClipVideo,
  { timeText, videoForm, speech }: Showing,
  signal: AbortSignal,
) {
  const { bytes, framesPerSecond, durationMs } = clip;
  if (videoForm !== "pictures")
    return showVideo(videoForm, { mp4: bytes, framesPerSecond, durationMs }, speech, clip, null);
  const options = { clip: bytes, framesPerSecond, maxSide: looks.standard.maxSide, maxPictures };
  return showPictures(await take(video, options, signal), timeText, speech, clip);
}

async function take(video: VideoFile, ...request: Parameters<NonNullable<VideoFile["takePictures"]>>) {
  if (!video.takePictures) throw new Error("The video comes without a way to take pictures of it.");
  const pictures = await video.takePictures(...request);
  if (pictures.length === 0)
    throw new Problem("media_unreadable", { reason: "The video cannot be read for analysis." });
  return pictures;
}

/** Whether only the operator can change what the server refuses: the key, the model, or what a question holds. */
function isRefusal(cause: unknown): cause is Error {
  const status = cause instanceof Error && "status" in cause ? Number(cause.status) : 0;
  return status >= 400 && status < 500 && ![408, 413, 429].includes(status);
}
