import { type Detail, Problem } from "@video-to-json/contract";
import type { SchemaDialect } from "@video-to-json/schema";

/**
 * A provider: the external service that looks at a video and answers a prompt. To add one, write a folder that creates
 * this type, and call it in `open-provider.ts`.
 */
export type AnalysisProvider = {
  readonly capabilities: ProviderCapabilities;
  /**
   * Sends the provider a copy of the video, lets `use` ask about it, and always deletes the copy. The deletion may take
   * seconds, so `use` has to store every result that must not be lost.
   *
   * @returns the result of `use`.
   * @throws the error of `use`; Problem `provider_unavailable`, `media_unreadable` or `file_too_large`; the reason of
   *   `run.signal` when it aborts.
   */
  withVideo<T>(video: VideoFile, run: VideoRun, use: (ask: Ask) => Promise<T>): Promise<T>;
  /**
   * Deletes the provider copies that crashed workers left. `findFinished` receives job ids (UUIDs) and returns those
   * whose job has finished; copies of other jobs stay.
   *
   * @returns how many copies it deleted.
   * @throws Problem `provider_unavailable` when the copies cannot be listed; the reason of `signal`.
   */
  deleteCopies(findFinished: FindFinishedJobs, signal: AbortSignal): Promise<number>;
  /**
   * Cancels the unfinished uploads that crashed workers left. `directory` holds one record for each upload (see
   * `VideoFile.uploadRecords`). Records of uploads that may still be open stay.
   *
   * @throws the reason of `signal`.
   */
  cancelUploads(directory: string, signal: AbortSignal): Promise<void>;
  /** Resolves if the provider can be reached and replies to anything. Costs nothing, needs no key, and may hang. */
  reach(): Promise<void>;
  close(): Promise<void>;
};

/** A provider, and what operators want to know of it. */
export type OperatedProvider = AnalysisProvider & {
  /** The address at which the service reaches the provider, for the log. */
  readonly address: string;
  /** Rejects while the provider refuses the key, the project or a model, with its words and what to do. */
  access(): Promise<void>;
  /** Tries what jobs need, once each, and logs each step. Never rejects. `directory` receives a small file meanwhile. */
  check(directory: string): Promise<ProviderCheck[]>;
};

/** One step of a check. `words` are the provider's. */
export type ProviderCheck = { step: string; isOk: boolean; words: string; advice: string };

/** Receives job ids and returns those whose job has finished. */
export type FindFinishedJobs = (jobIds: string[]) => Promise<ReadonlySet<string>>;

/** The inputs that a provider takes. Videos are converted and schemas simplified to match. */
export type ProviderCapabilities = {
  readonly media: {
    /** The containers that the provider reads, each with its audio codecs, in ffprobe's names. */
    readonly containers: Readonly<Record<string, readonly string[] | "any">>;
    /** The video codecs that it reads, in ffprobe's names. */
    readonly videoCodecs: readonly string[];
    /** Size of the largest file, in bytes. */
    readonly maxFileBytes: number;
  };
  /** Size of the largest clip that a question may carry, in bytes; 0 when it takes none. */
  readonly maxClipBytes: number;
  /** What the provider can enforce on its output; null when it takes no schema. */
  readonly schemaDialect: SchemaDialect | null;
  /** Whether the model hears the sound of a video and of a clip. */
  readonly hearsSound: boolean;
};

/** A video on local disk. */
export type VideoFile = {
  path: string;
  mimeType: string;
  /** The length of this file, as measured. */
  durationMs: number;
  hasSound: boolean;
  /** Where this file starts in the whole video, in milliseconds; 0 if not given. */
  fromMs?: number;
  /** The job's UUID. The provider copy carries it, so that a leftover copy can be traced to its job. */
  jobId: string;
  /**
   * Directory for one record per unfinished upload, with the data needed to cancel it. Without it, no records are
   * written.
   */
  uploadRecords?: string;
  /** How closely the provider looks at it. `standard` if not given. */
  detail?: Detail;
  /** Takes pictures of this file or of a clip, for a provider that takes no videos. Rejects when nothing can be decoded. */
  takePictures?(options: PictureOptions, signal: AbortSignal): Promise<Picture[]>;
  /**
   * Writes this file as MP4 of a constant rate without sound, with its clock below the picture. Rejects when nothing can
   * be decoded, or when the result has more than `maxBytes`.
   */
  takeVideo?(options: VideoOptions, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Returns the words that a recogniser heard in this file, in order; null without a recogniser, or if it failed. The first
   * call starts it. Rejects only when `signal` aborts.
   */
  words?(signal: AbortSignal): Promise<readonly SpokenWord[] | null>;
  /** Called with the tokens and the dollars of each question that the provider charges for, usable or not. */
  onTokens?(tokens: number, dollars: number): void;
};

/** A word, or a few of them, and when they are said, in milliseconds from the start of the file. */
export type SpokenWord = { text: string; startMs: number; endMs: number };

/** `maxSide`: the longest side in pixels. Without a clip, the pictures are those of the whole file. */
type PictureOptions = { clip?: Uint8Array; framesPerSecond: number; maxSide: number; maxPictures: number };

/** `maxSide`: the longest side in pixels. `maxBytes`: the largest size of the result. */
type VideoOptions = { framesPerSecond: number; maxSide: number; maxBytes: number };

/** A JPEG picture, and its time from the start of the file or clip, in milliseconds. */
export type Picture = { ms: number; jpeg: Uint8Array };

/** `signal` ends the run, which rejects with its reason. The signal aborts at `deadline` at the latest. */
export type VideoRun = { signal: AbortSignal; deadline: Date };

/**
 * Asks one question about the video, or about the clip of the question.
 *
 * @param run replaces the limits of the whole run, for a question that must end sooner.
 * @throws NoAnswer when the model replied without an answer: another attempt may help. Problem
 *   `provider_unavailable`, `media_unreadable` or `extraction_failed` when no further attempt can help.
 */
export type Ask = (question: Question, run?: VideoRun) => Promise<Answer>;

/** The optional questions: they look again at an answer that conforms. */
export type Check = "second_look" | "lists" | "evidence";

/** `responseSchema` constrains the answer if the provider can do so. The prompt carries the full schema anyway. */
export type Question = {
  model: "small" | "large";
  /** The check that asks. It gives way to first questions: it ends at the first 429, and pauses nothing. */
  check?: Check;
  system: string;
  prompt: string;
  responseSchema: Record<string, unknown> | null;
  /**
   * The clip that the question is about, instead of the video. It is sent with the question, and the provider does not
   * store it.
   */
  clip?: ClipVideo;
};

/** A part of a video in memory, its length, and how many of its pictures per second the model looks at. */
export type ClipVideo = {
  bytes: Uint8Array;
  mimeType: string;
  durationMs: number;
  /** Where it starts in the whole video, by which its clock counts. */
  fromMs?: number;
  framesPerSecond: number;
  /** Whether somebody listens to its sound. */
  isHeard?: boolean;
};

/**
 * A complete answer, not yet validated; `model` is the id of the model that wrote it. `tokens` is missing when the
 * provider does not count.
 */
export type Answer = { text: string; model: string; tokens?: TokenCount };

/**
 * The tokens of one question and its answer, as the provider counts them, and their price in US dollars. `audio`: null if
 * it does not tell sound from the rest. `rates`: what a question about a clip of the same video costs; null if unknown.
 */
export type TokenCount = { total: number; audio: number | null; dollars: number; rates: Rates | null };

/** Prices in US dollars: of a picture, of a second of sound, of a token of a question and of an answer. */
export type Rates = { picture: number; soundSecond: number; input: number; output: number };

/** The model replied without an answer: it declined, stopped early, wrote nothing, or did not receive the video. */
export class NoAnswer extends Error {
  /** The reason in the form of a violation: `: <reason>`, with an empty pointer because it is about the whole answer. */
  readonly violation: string;
  /** The beginning of an answer that was cut off for its length. */
  readonly partial: string | null;

  constructor(reason: string, partial: string | null = null) {
    super(reason);
    this.name = "NoAnswer";
    this.partial = partial;
    this.violation = `: ${reason}`;
  }
}

/** The provider has no quota or no money left for a model. A retry does not help. */
export class OutOfQuota extends Problem {
  constructor(cause: unknown, retryAfterSeconds: number) {
    super("provider_unavailable", { reason: unavailableReason }, { retryAfterSeconds, cause });
  }
}

/** What callers read about a provider that cannot be used now. */
export const unavailableReason = "The video cannot be analysed at the moment.";

/** The kinds of requests to a provider. */
export type ProviderRequest = "generate" | "upload" | "get" | "list" | "delete";

/** The tokens that a provider counted for one question. `cached`: the part of `input` that it had kept. */
export type TokenCounts = { input: number; output: number; thinking: number; cached: number };

/** Receives the requests to a provider and their results, for metrics. Must not throw. */
export type ProviderObserver = {
  /** A request has ended. `status` is its HTTP status; null without a complete reply. */
  onRequest(request: ProviderRequest, status: number | null, ms: number): void;
  /** A request failed with this status, and the provider's client sends it again. */
  onRetry(status: number | null): void;
  /** The provider has counted the tokens of a question that it charges for. `check`: of an optional question. */
  onTokens(model: Question["model"], tokens: TokenCounts, price: { dollars: number; check: Check | undefined }): void;
  /** A question goes to the next model of its list. */
  onFallback(model: Question["model"]): void;
  /** The model answered about a video with sound, and the provider counted no sound. */
  onSoundMissing(): void;
  /** The bytes of all files of the provider's project, as it lists them. */
  onFiles(bytes: number): void;
  /** A refusal named a quota of the unpaid tier. */
  onFreeTier(): void;
};
