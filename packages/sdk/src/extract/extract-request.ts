import type { ExtractResponse } from "../shapes.ts";
import type { VideoSource } from "../upload/open-video.ts";
import type { Progress } from "./progress.ts";
import type { SchemaInput } from "./schema-text.ts";

/** The video of an extraction: a file, or the address of one that the service fetches. */
export type VideoInput =
  | { video: VideoSource; fileName?: string | undefined; videoUrl?: undefined }
  | { videoUrl: string | URL; video?: undefined; fileName?: undefined };

/** One extraction: what from, what shape, and how to follow it. */
export type ExtractRequest<S extends SchemaInput = SchemaInput> = VideoInput & {
  /** A sketch or a JSON Schema. As a text it is sent as it is written. */
  schema: S;
  /** Context in free text; the schema still governs the result. */
  instructions?: string | undefined;
  /** Names the request for 24 hours: the same one joins or gives the answer again. Made anew unless given. */
  idempotencyKey?: string | undefined;
  /** Ends the call, and what it holds open, with its reason. A job that was admitted runs on. */
  signal?: AbortSignal | undefined;
  /** Called as the extraction goes on. What it throws ends the call. */
  onProgress?: ((progress: Progress) => void) | undefined;
};

/** The answer of an extraction, its data of the schema's type. */
export type Extraction<T> = Omit<ExtractResponse, "data"> & {
  data: T;
  /** The response's body as it came: order of keys and digits of numbers are the service's. */
  json: string;
  /** Whether this is the answer of an earlier request with the same idempotencyKey. */
  replayed: boolean;
};
