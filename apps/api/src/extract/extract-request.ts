import type { CompiledSchema } from "@video-to-json/schema-input";

/** A request of `POST /v1/extract` that was read and found right, whatever body type it came in. */
export type ExtractRequest = {
  schema: CompiledSchema;
  instructions: string | null;
  /** Exactly one of the two: a URL, or an upload that waits in storage under the job's id. */
  video: { url: string } | { upload: { bytes: number; sha256: string } };
};

/** What came in of a body, before it is judged in the order of docs/decisions/0001. */
export type Received = {
  schema: CompiledSchema | undefined;
  instructions: string | undefined;
  videoUrl: string | undefined;
  upload: { bytes: number; sha256: string } | undefined;
  /** A file was sent, even if it was not kept since a URL was sent too. */
  hasFile: boolean;
};
