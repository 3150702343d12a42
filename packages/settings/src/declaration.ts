import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@video-to-json/contract";
import { hostNames, hostPorts, secret, textLike, urlOf, wholeNumber } from "./kinds.ts";

const port = wholeNumber(0, 65_535);
const count = wholeNumber(1, 1_000_000);
const bytes = wholeNumber(1, 2 ** 40);
const path = textLike(/./, "a path");
const word = textLike(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, dots, dashes and underscores");

/**
 * Every setting of every process, declared once: reads the environment, types the configuration and writes
 * docs/configuration.md. A setting without a default is required by the processes that read it.
 */
export const declaration = {
  HOST: textLike(/^\S+$/, "a host name or address")({ default: "127.0.0.1", desc: "Address that the API listens on." }),
  PORT: port({ default: 3000, desc: "Port that the API listens on; 0 takes a free one." }),
  PUBLIC_URL: urlOf(["http:", "https:"])({
    default: undefined,
    desc: "Address that callers use; stands in the interface description. Without it, the request's own host.",
    example: "https://api.example.com",
  }),
  MCP_ALLOWED_HOSTS: hostNames({
    default: [],
    desc: "Host names, without ports, by which `/v1/mcp` may be asked and from whose web pages, besides PUBLIC_URL's and this machine's own. Addresses are always taken.",
    example: "api,api.internal",
  }),
  METRICS_HOST: textLike(
    /^\S+$/,
    "a host name or address",
  )({
    default: "127.0.0.1",
    desc: "Address of the operator's listener: /metrics, /healthz, /readyz.",
  }),
  METRICS_PORT: port({ default: 0, desc: "Port of the operator's listener; 0 takes a free one." }),
  LOG_LEVEL: textLike(
    /^(trace|debug|info|warn|error|fatal|silent)$/,
    "a log level",
  )({
    default: "info",
    desc: "Least level that is logged: trace, debug, info, warn, error, fatal or silent.",
  }),
  TRUST_PROXIES: wholeNumber(
    0,
    10,
  )({
    default: 0,
    desc: "How many proxies stand before the API and may set X-Forwarded-* headers.",
  }),

  DATABASE_URL: urlOf(["postgres:", "postgresql:"])({
    desc: "PostgreSQL: the truth about accounts, jobs and money.",
    example: "postgres://user:password@host:5432/video_to_json",
  }),
  OWNER_DATABASE_URL: urlOf(["postgres:", "postgresql:"])({
    default: undefined,
    desc: "The same database as the owner of the tables, for `admin migrate` alone, which then lets the user of DATABASE_URL do what processes do and no more: not change the ledger. Without it DATABASE_URL migrates.",
    example: "postgres://owner:password@host:5432/video_to_json",
  }),
  DATABASE_CONNECTIONS: wholeNumber(1, 1000)({ default: 10, desc: "Most connections a process opens to PostgreSQL." }),
  REDIS_URL: urlOf(["redis:", "rediss:"])({
    desc: "Redis: the queue and the rate limits. Losing it costs time, never a job.",
    example: "redis://host:6379",
  }),
  REDIS_PREFIX: word({ default: "v2j", desc: "What every Redis key begins with." }),
  STORAGE_URL: urlOf(["file:"])({
    desc: "Where uploads wait for a worker: a directory that API and workers share.",
    example: "file:///var/lib/video-to-json/storage",
  }),
  SCRATCH_DIR: path({
    default: join(tmpdir(), "video-to-json"),
    desc: "Where a worker keeps a job's files while it runs; several workers of one installation may share it. Never two installations: each deletes what its own database does not know.",
  }),

  GEMINI_API_KEY: secret({ desc: "Key of the analysis service." }),
  GEMINI_BASE_URL: urlOf(["http:", "https:"])({
    default: "https://generativelanguage.googleapis.com",
    desc: "Address of the analysis service.",
  }),
  GEMINI_MODEL: word({ default: "gemini-3.5-flash-lite", desc: "Model that is asked first, and once more." }),
  GEMINI_MODEL_LARGE: word({ default: "gemini-3.8-flash", desc: "Model that is asked last, once." }),

  API_KEY_PREFIX: textLike(
    /^[a-z][a-z0-9]{1,15}$/,
    "2 to 16 lower-case letters and digits",
  )({
    default: "v2j",
    desc: "What stands before `_live_` in every key. Keys of another prefix are refused.",
  }),
  WORKER_CONCURRENCY: wholeNumber(1, 1000)({ default: 2, desc: "Jobs that one worker runs at once." }),
  GLOBAL_CONCURRENCY: count({ default: 50, desc: "Jobs that all workers together run at once." }),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(
    0,
    3600,
  )({
    default: 30,
    desc: "How long a worker may finish its jobs after SIGTERM before it hands them back; how long the API answers what it holds is the job's own deadline.",
  }),
  DATABASE_PATIENCE_SECONDS: wholeNumber(
    1,
    300,
  )({
    default: 20,
    desc: "How long a request waits for a database that is away, restarting for one, before it is answered with provider_unavailable.",
  }),
  DRAIN_SECONDS: wholeNumber(
    0,
    3600,
  )({
    default: 3,
    desc: "How long after SIGTERM an API still serves while /readyz says no, and how long after that connections that are kept alive are told by 503 to go elsewhere before they end.",
  }),
  FETCH_ALLOW_HOSTS: hostPorts({
    default: [],
    desc: "`host:port` pairs that `video_url` may name although they are private: tests and intranets. Only these names may come from the hosts file.",
    example: "127.0.0.1:8000,media.internal:80",
  }),
  FETCH_TIMEOUT_SECONDS: wholeNumber(1, 3600)({ default: 240, desc: "Longest that fetching a `video_url` may take." }),
  FETCH_MIN_BYTES_PER_SECOND: wholeNumber(
    0,
    2 ** 30,
  )({
    default: 32 * 1024,
    desc: "Slowest that a `video_url` may come in, over ten seconds.",
  }),
  UPLOAD_TIMEOUT_SECONDS: wholeNumber(1, 86_400)({ default: 1800, desc: "Longest that an upload may take." }),
  UPLOAD_IDLE_SECONDS: wholeNumber(1, 3600)({ default: 30, desc: "Longest that an upload may stand still." }),
  UPLOAD_MIN_BYTES_PER_SECOND: wholeNumber(
    0,
    2 ** 30,
  )({
    default: 1024,
    desc: "Slowest that an upload may come in, over each `UPLOAD_IDLE_SECONDS`: a fifth of what a phone on EDGE sends.",
  }),
  HEADERS_TIMEOUT_SECONDS: wholeNumber(
    1,
    600,
  )({
    default: 15,
    desc: "Longest that the head of a request may take to arrive.",
  }),
  MAX_CONNECTIONS: count({
    default: 10_000,
    desc: "Most connections that callers may have to an API; more are refused.",
  }),
  ORPHAN_UPLOAD_SECONDS: wholeNumber(
    10,
    86_400,
  )({
    default: 600,
    desc: "How long an upload that no job came of is kept after its last byte: what follows it in its form has 300 s.",
  }),

  MAX_VIDEO_SECONDS: count({
    default: defaultLimits.maxVideoSeconds,
    desc: "Longest video, in seconds, judged after rounding.",
  }),
  MAX_UPLOAD_BYTES: bytes({ default: defaultLimits.maxUploadBytes, desc: "Largest multipart upload." }),
  MAX_FILE_BYTES: bytes({ default: defaultLimits.maxFileBytes, desc: "Largest file behind a URL." }),
  MAX_SCHEMA_BYTES: wholeNumber(2, 2 ** 24)({ default: defaultLimits.maxSchemaBytes, desc: "Longest schema text." }),
  MAX_SCHEMA_DEPTH: wholeNumber(1, 500)({ default: defaultLimits.maxSchemaDepth, desc: "Deepest schema, in levels." }),
  MAX_SCHEMA_VALUES: count({ default: defaultLimits.maxSchemaValues, desc: "Most JSON values in a schema." }),
  MAX_INSTRUCTIONS_CHARACTERS: count({
    default: defaultLimits.maxInstructionsCharacters,
    desc: "Longest instructions.",
  }),
  MAX_JOBS_PER_ACCOUNT: count({
    default: defaultLimits.maxJobsPerAccount,
    desc: "Queued and running jobs of an account, unless the account has a figure of its own.",
  }),
  EXTRACTIONS_PER_MINUTE: count({
    default: defaultLimits.extractionsPerMinute,
    desc: "Extractions an account may ask for a minute.",
  }),
  READS_PER_MINUTE: count({ default: defaultLimits.readsPerMinute, desc: "Reads an account may make a minute." }),
  UNAUTHORISED_PER_MINUTE: count({
    default: defaultLimits.unauthorisedPerMinute,
    desc: "Requests without a live key that an address (of IPv6 a /64) may send a minute; those with one are not counted.",
  }),
  JOB_TIMEOUT_SECONDS: wholeNumber(
    1,
    86_400,
  )({
    default: defaultLimits.jobTimeoutSeconds,
    desc: "Whole life of a job, its wait in the queue included.",
  }),
  IDEMPOTENCY_HOURS: count({
    default: defaultLimits.idempotencyHours,
    desc: "How long an Idempotency-Key is remembered.",
  }),
  MINIMUM_BILLED_SECONDS: count({ default: defaultLimits.minimumBilledSeconds, desc: "Least that a job is billed." }),
  FREE_SECONDS: wholeNumber(
    0,
    1_000_000,
  )({
    default: defaultLimits.freeSeconds,
    desc: "What a new account is granted, once.",
  }),
};
