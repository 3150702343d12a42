export { createClient, type VideoToJson } from "./client.ts";
export {
  isVideoToJsonConnectionError,
  isVideoToJsonError,
  isVideoToJsonParseError,
} from "./errors/brand.ts";
export { VideoToJsonConnectionError } from "./errors/video-to-json-connection-error.ts";
export { VideoToJsonError } from "./errors/video-to-json-error.ts";
export { VideoToJsonParseError } from "./errors/video-to-json-parse-error.ts";
export type { Extraction, ExtractRequest, VideoInput } from "./extract/extract-request.ts";
export type { Progress } from "./extract/progress.ts";
export type { SchemaInput } from "./extract/schema-text.ts";
export type { StandardIssue } from "./extract/standard-schema.ts";
export type { ClientOptions } from "./http/connection.ts";
export type { LogEntry, Logger } from "./http/logger.ts";
export type { Fetch } from "./http/long-timeout-fetch.ts";
export type { CallOptions } from "./http/request.ts";
export type { RateLimit, ResponseInfo, WithResponse } from "./http/response-info.ts";
export type { DataOf } from "./inference/data-of.ts";
export type { RefusedSketch } from "./inference/refused-sketch.ts";
export type { JobQuery } from "./jobs/recent-jobs.ts";
export type {
  Account,
  Clip,
  Detail,
  Evidence,
  ExtractResponse,
  JobList,
  JobRecord,
  JobSummary,
  ProblemCode,
  RecentJob,
  SchemaWarning,
  SecondLookCounts,
} from "./shapes.ts";
export type { VideoSource } from "./upload/open-video.ts";
