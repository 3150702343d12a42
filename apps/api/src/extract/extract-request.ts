import type { Clip, Detail, SecondLook } from "@video-to-json/contract";
import type { CompiledSchema } from "@video-to-json/schema";

/** A valid request for an extraction, from any endpoint and in any body type. */
export type ExtractRequest = {
  /** The id of the new job, if the request becomes one. An upload is in storage under this id. */
  id: string;
  schema: CompiledSchema;
  instructions: string | null;
  video: { url: string } | { upload: Upload };
  /** The part of the video to look at; null for the whole video. */
  clip: Clip | null;
  detail: Detail;
  /** Whether the answer gets evidence. False by default. */
  wantsEvidence?: boolean;
  /** Whether its times get a second look. The setting of the worker by default. */
  secondLook?: SecondLook | undefined;
  /** The id of the HTTP request, for the log of the worker. */
  requestId?: string | undefined;
};

/** A video file in storage. */
export type Upload = { bytes: number; sha256: string };

/** The fields of a request before they are validated. */
export type RequestFields = {
  schema: CompiledSchema | undefined;
  instructions: string | undefined;
  videoUrl: string | undefined;
  /** The JSON text of the clip. */
  clip: string | undefined;
  detail: string | undefined;
  upload: Upload | undefined;
  /** The caller sent a file. It is not stored if a URL came before it. */
  hasFile: boolean;
};
