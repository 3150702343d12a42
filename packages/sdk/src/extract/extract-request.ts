import type { WithResponse } from "../http/response-info.ts";
import type { Clip, Detail, ExtractResponse, SchemaWarning, SecondLookCounts } from "../shapes.ts";
import type { VideoSource } from "../upload/open-video.ts";
import type { Progress } from "./progress.ts";
import type { SchemaInput } from "./schema-text.ts";

/**
 * The video of an extraction: either `video`, which is uploaded, or `videoUrl`, which the service
 * fetches (2 GB at most). `fileName` replaces the name of the uploaded file.
 */
export type VideoInput =
  | { video: VideoSource; fileName?: string | undefined; videoUrl?: undefined }
  | { videoUrl: string | URL; video?: undefined; fileName?: undefined };

/** The arguments of `extract`: the video, the schema and the options of the call. */
export type ExtractRequest<S extends SchemaInput = SchemaInput> = VideoInput & {
  /** A sketch or a JSON Schema. A string is sent unchanged. */
  schema: S;
  /**
   * Whether to run a schema that says something else than it probably means. By default the service refuses it for free
   * as `schema_invalid`, and `details` say what to write. An accepted doubt is in `warnings` of the result.
   */
  acceptWarnings?: boolean | undefined;
  /** Context for the model, 10,000 characters at most. The schema still decides the form of the answer. */
  instructions?: string | undefined;
  /** Whether to gather evidence of the data, which `evidence` reads. The answer takes longer. */
  evidence?: boolean | undefined;
  /**
   * Whether the times of the answer are checked in narrow clips of the video before it is returned. It costs nothing and
   * takes up to half a minute longer. By default the service decides.
   */
  secondLook?: "off" | "auto" | "times" | undefined;
  /**
   * The part of the video to look at, as `MM:SS`. `start` is the start of the video by default, `end` its end. Only
   * this part is billed, and it may be cut from a video that is longer than the service takes at once. Times in the data
   * count from the start of the whole video.
   */
  clip?: Clip | undefined;
  /** How closely the model looks: `low`, `standard` (the default) or `high`. The price is the same. */
  detail?: Detail | undefined;
  /**
   * The name of this request, which the service remembers for a while: 1 to 255 printable ASCII characters. The same request with the same key
   * joins the job or returns its answer, without a second charge. By default every call gets a new key.
   */
  idempotencyKey?: string | undefined;
  /** Ends the call with the signal's reason and closes the file. A job that was admitted continues. */
  signal?: AbortSignal | undefined;
  /**
   * The time limit of the whole call with its retries, in milliseconds. Without it, the call ends when
   * its job has ended. A job that was admitted continues.
   */
  timeout?: number | undefined;
  /** How many times at most the video is sent again after a transient error. The client's number by default. */
  retries?: number | undefined;
  /** Called for each step of the extraction. An error that it throws ends the call. */
  onProgress?: ((progress: Progress) => void) | undefined;
};

/** The result of an extraction. `T` is the type of its data. */
export type Extraction<T> = WithResponse<Omit<ExtractResponse, "data">> & {
  /** The data. It conforms to the schema. */
  data: T;
  /** The response body as the service wrote it, with its key order and its number literals. */
  json: string;
  /** Whether this is the answer of an earlier request with the same idempotency key. */
  replayed: boolean;
  /** The doubts about the request that ran nevertheless. */
  warnings: readonly SchemaWarning[];
  /** How many times of the data the second look confirmed, moved, contradicted and so on. Null without a second look. */
  secondLook: SecondLookCounts | null;
};

/** The options that `extract` takes. A caller in JavaScript may misspell one, which would bill the whole video. */
const options: Record<keyof (VideoInput & ExtractRequest), true> = {
  ...{ video: true, videoUrl: true, fileName: true, schema: true, instructions: true, clip: true, detail: true },
  ...{ acceptWarnings: true, evidence: true, secondLook: true, idempotencyKey: true, signal: true, timeout: true },
  ...{ retries: true, onProgress: true },
};

/** Throws a TypeError for an option that `extract` does not have. */
export function checkOptions(request: object): void {
  const unknown = Object.keys(request).find((name) => !Object.hasOwn(options, name));
  if (unknown === undefined) return;
  throw new TypeError(`${unknown} is not an option of extract. The options are ${Object.keys(options).join(", ")}.`);
}
