import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits, secondLooks } from "@video-to-json/contract";
import { amount, hostNames, hostPorts, oneOf, secret, storageUrl, textLike, urlOf, wholeNumber } from "./kinds.ts";

const port = wholeNumber(0, 65_535);
const count = wholeNumber(1, 1_000_000);
const bytes = wholeNumber(1, 2 ** 40);
const path = textLike(/./, "a path");
const price = amount(1_000_000);
const word = textLike(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, dots, dashes and underscores");

const listeners = {
  HOST: textLike(/^\S+$/, "a host name or address")({ default: "127.0.0.1", desc: "Address that the API listens on." }),
  PORT: port({ default: 3000, desc: "Port that the API listens on. 0 means any free port." }),
  PUBLIC_URL: urlOf(["http:", "https:"])({
    default: undefined,
    desc: "Address by which callers reach the API, for the interface description. Without it, the description names the host of the request.",
    example: "https://api.example.com",
  }),
  MCP_ALLOWED_HOSTS: hostNames({
    default: [],
    desc: "Host names, without ports, that requests to `/v1/mcp` may contain in `Host` and `Origin`, in addition to those of PUBLIC_URL and of this machine. IP addresses are always allowed.",
    example: "api,api.internal",
  }),
  TRUST_PROXIES: wholeNumber(
    0,
    10,
  )({
    default: 0,
    desc: "Number of proxies in front of the API that may set X-Forwarded-* headers.",
  }),
  MAX_CONNECTIONS: count({
    default: 10_000,
    desc: "Maximum number of client connections to one API. It refuses further ones.",
  }),
  HEADERS_TIMEOUT_SECONDS: wholeNumber(
    1,
    600,
  )({
    default: 15,
    desc: "Time limit for receiving the headers of a request, in seconds.",
  }),
  METRICS_HOST: textLike(
    /^\S+$/,
    "a host name or address",
  )({
    default: "127.0.0.1",
    desc: "Address of the operator's listener, with /metrics, /healthz and /readyz.",
  }),
  METRICS_PORT: port({ default: 0, desc: "Port of the operator's listener. 0 means any free port." }),
};

const dependencies = {
  DATABASE_URL: urlOf(["postgres:", "postgresql:"])({
    desc: "Address of PostgreSQL, which stores accounts, jobs and the ledger.",
    example: "postgres://user:password@host:5432/video_to_json",
  }),
  OWNER_DATABASE_URL: urlOf(["postgres:", "postgresql:"])({
    default: undefined,
    desc: "The same database, with the user that owns the tables. Only `admin migrate` uses it: it migrates as this user, and grants the user of DATABASE_URL only what API and workers need. That user cannot change the ledger. Without this setting, `admin migrate` uses DATABASE_URL.",
    example: "postgres://owner:password@host:5432/video_to_json",
  }),
  DATABASE_CONNECTIONS: wholeNumber(
    1,
    1000,
  )({
    default: 10,
    desc: "Maximum number of connections of one process to PostgreSQL.",
  }),
  DATABASE_PATIENCE_SECONDS: wholeNumber(
    1,
    300,
  )({
    default: 20,
    desc: "How long a request waits for an unavailable database, in seconds. Then it fails with provider_unavailable. The default is enough for a restart of PostgreSQL.",
  }),
  REDIS_URL: urlOf(["redis:", "rediss:"])({
    desc: "Address of Redis, which holds the queue and the rate limits. No job is lost if Redis loses its data.",
    example: "redis://host:6379",
  }),
  REDIS_PREFIX: word({ default: "v2j", desc: "Prefix of every Redis key." }),
  STORAGE_URL: storageUrl({
    desc: "Where uploads wait for a worker; API and workers share it. A directory, as `file:///directory`, or a bucket on a server that speaks S3, as `s3://bucket/prefix?endpoint=https://host:port&region=name`. Without `endpoint`, the bucket is Amazon's. Keys come from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or from the other sources of the AWS SDK. See [Storage](operating.md#storage).",
    example: "file:///var/lib/video-to-json/storage",
  }),
  SCRATCH_DIR: path({
    default: join(tmpdir(), "video-to-json"),
    desc: "Directory for the files of running jobs. Workers of one installation may share it. Two installations must not, because each deletes the files of jobs that are not in its own database.",
  }),
  FFMPEG_DIRECTORY: path({
    default: "",
    desc: "Directory of the ffmpeg and ffprobe that read videos, such as the one that `./scripts/build-minimal-ffmpeg` prints. If it is empty, the programs on `PATH` are used.",
  }),
};

const provider = {
  GEMINI_API_KEY: secret({ desc: "API key of the provider." }),
  GEMINI_BASE_URL: urlOf(["http:", "https:"])({
    default: "https://generativelanguage.googleapis.com",
    desc: "Address of the provider.",
  }),
  GEMINI_MODEL: word({ default: "gemini-3.5-flash-lite", desc: "Small model, for the first two attempts of a job." }),
  GEMINI_MODEL_LARGE: word({ default: "gemini-3.8-flash", desc: "Large model, for the third and last attempt." }),
  GEMINI_USD_PER_MILLION_INPUT: price({
    default: 0,
    desc: "Price of a million input tokens of the small model, in US dollars, for the metric `video_to_json_model_cost_usd_total`. Nothing is charged by it. 0 turns the estimate off: the prices are in your contract with the provider.",
    example: "0.10",
  }),
  GEMINI_USD_PER_MILLION_OUTPUT: price({
    default: 0,
    desc: "The same for output tokens of the small model, thinking included.",
    example: "0.40",
  }),
  GEMINI_LARGE_USD_PER_MILLION_INPUT: price({ default: 0, desc: "The same for input tokens of the large model." }),
  GEMINI_LARGE_USD_PER_MILLION_OUTPUT: price({ default: 0, desc: "The same for output tokens of the large model." }),
};

const checks = {
  SECOND_LOOK: oneOf(secondLooks)({
    default: "off",
    desc: "Whether the times of an answer are checked in narrow clips of the video before it is returned: `off` or `times`. A request may say otherwise with the header `Second-Look`. It costs at most twice the tokens of the question that was answered, and half a minute. Off until a run against the live provider shows the gain.",
  }),
  COMPLETE_LISTS: oneOf(["off", "on"])({
    default: "off",
    desc: "Whether lists of moments are completed window by window: `off` or `on`. Applies to videos of more than two minutes. It costs at most twice the tokens of the question that was answered, and a minute. Off until a run against the live provider shows the gain.",
  }),
};

const operation = {
  FIRST_ACCOUNT_EMAIL: textLike(
    /^[^\s@]+@[^\s@]+$/,
    "an e-mail address",
  )({
    default: undefined,
    desc: "E-mail address of the first account. In an installation without accounts, `admin migrate` makes this account and prints its first key.",
    example: "someone@example.com",
  }),
  LOG_LEVEL: textLike(
    /^(trace|debug|info|warn|error|fatal|silent)$/,
    "a log level",
  )({
    default: "info",
    desc: "Lowest level to log: trace, debug, info, warn, error, fatal or silent.",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(["http:", "https:"])({
    default: undefined,
    desc: "Collector that takes OpenTelemetry traces as OTLP over HTTP, without `/v1/traces`. Without it, there are no traces and OpenTelemetry is not loaded.",
    example: "http://collector:4318",
  }),
  API_KEY_PREFIX: textLike(
    /^[a-z][a-z0-9]{1,15}$/,
    "2 to 16 lower-case letters and digits",
  )({
    default: "v2j",
    desc: "First part of every API key, before `_live_`. The API refuses keys with another prefix.",
  }),
  WORKER_CONCURRENCY: wholeNumber(
    1,
    1000,
  )({
    default: 32,
    desc: "Number of jobs that one worker runs at once. Most of them wait, for a URL or for the provider; ffmpeg runs for as many of them at once as the machine has cores.",
  }),
  GLOBAL_CONCURRENCY: count({
    default: 50,
    desc: "Number of jobs that all workers together have with the provider at once, from upload to answer.",
  }),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(
    0,
    3600,
  )({
    default: 30,
    desc: "How long a worker may finish its jobs after SIGTERM, in seconds. Then it requeues them. An API has no such limit: it answers the requests in flight, at most until the deadlines of their jobs.",
  }),
  DRAIN_SECONDS: wholeNumber(
    0,
    3600,
  )({
    default: 3,
    desc: "How long an API serves requests after SIGTERM while /readyz fails, in seconds, so that load balancers notice. For as long again it answers requests on open connections with 503, before it closes them.",
  }),
};

const dashboard = {
  DASHBOARD: textLike(
    /^(on|off)$/,
    "on or off",
  )({
    default: "on",
    desc: "Whether the API serves the dashboard at `/dashboard`: on or off. With PUBLIC_URL, people open it below that address.",
  }),
  DASHBOARD_DIR: path({
    default: undefined,
    desc: "Directory of the dashboard's built page. Without it, the API takes that of its own source tree.",
  }),
  SMTP_URL: urlOf(["smtp:", "smtps:"])({
    default: undefined,
    desc: "Mail server that sends the codes to sign in. Without it, people can sign in at localhost only, with codes from the log of the API.",
    example: "smtps://user:password@mail.example.com",
  }),
  MAIL_FROM: textLike(
    /^[^\r\n]+@[^\r\n]+$/,
    "an e-mail address",
  )({
    default: "Video-to-JSON <no-reply@localhost>",
    desc: "Sender of the messages.",
    example: "Video-to-JSON <no-reply@example.com>",
  }),
  SESSION_SECRET: secret({
    default: undefined,
    desc: "Signs the cookies of the dashboard's sessions, the same for all APIs: 32 random characters or more. Without it, the first API makes one and the database keeps it. A new one signs everybody out.",
  }),
};

const transfers = {
  FETCH_ALLOW_HOSTS: hostPorts({
    default: [],
    desc: "Private `host:port` pairs that `video_url` may name, for tests and intranets. Only these names may be resolved from the hosts file.",
    example: "127.0.0.1:8000,media.internal:80",
  }),
  FETCH_TIMEOUT_SECONDS: wholeNumber(
    1,
    3600,
  )({
    default: 240,
    desc: "Time limit for fetching a `video_url`, in seconds.",
  }),
  FETCH_MIN_BYTES_PER_SECOND: wholeNumber(
    0,
    2 ** 30,
  )({
    default: 32 * 1024,
    desc: "Minimum rate of fetching a `video_url`, in bytes per second, over ten seconds.",
  }),
  UPLOAD_TIMEOUT_SECONDS: wholeNumber(1, 86_400)({ default: 1800, desc: "Time limit for an upload, in seconds." }),
  UPLOAD_IDLE_SECONDS: wholeNumber(1, 3600)({ default: 30, desc: "Longest pause within an upload, in seconds." }),
  UPLOAD_MIN_BYTES_PER_SECOND: wholeNumber(
    0,
    2 ** 30,
  )({
    default: 1024,
    desc: "Minimum rate of an upload, in bytes per second, over each `UPLOAD_IDLE_SECONDS`. The default is a fifth of what a phone sends over EDGE.",
  }),
  ORPHAN_UPLOAD_SECONDS: wholeNumber(
    10,
    86_400,
  )({
    default: 600,
    desc: "How long an upload without a job is kept after its last byte, in seconds. The form fields after the video may take 300 s, so keep this well above.",
  }),
  JOB_RETENTION_DAYS: wholeNumber(
    0,
    36_500,
  )({
    default: 0,
    desc: "How long schema, instructions and answer of a finished job are kept, in days; 0 keeps them for ever. An answer is kept for `IDEMPOTENCY_HOURS` at least. What was billed stays.",
  }),
};

const limits = {
  MAX_VIDEO_SECONDS: count({
    default: defaultLimits.maxVideoSeconds,
    desc: "Longest video, in seconds, after rounding.",
  }),
  MAX_UPLOAD_BYTES: bytes({ default: defaultLimits.maxUploadBytes, desc: "Largest multipart upload, in bytes." }),
  MAX_FILE_BYTES: bytes({ default: defaultLimits.maxFileBytes, desc: "Largest file behind a URL, in bytes." }),
  MAX_SCHEMA_BYTES: wholeNumber(
    2,
    2 ** 24,
  )({
    default: defaultLimits.maxSchemaBytes,
    desc: "Longest schema, in bytes of text.",
  }),
  MAX_SCHEMA_DEPTH: wholeNumber(1, 500)({ default: defaultLimits.maxSchemaDepth, desc: "Deepest schema, in levels." }),
  MAX_SCHEMA_VALUES: count({
    default: defaultLimits.maxSchemaValues,
    desc: "Maximum number of JSON values in a schema.",
  }),
  MAX_INSTRUCTIONS_CHARACTERS: count({
    default: defaultLimits.maxInstructionsCharacters,
    desc: "Longest instructions, in characters.",
  }),
  MAX_JOBS_PER_ACCOUNT: count({
    default: defaultLimits.maxJobsPerAccount,
    desc: "Maximum number of open jobs of an account, unless the account has a limit of its own.",
  }),
  MAX_FAILED_EXTRACTIONS: wholeNumber(
    0,
    1_000_000,
  )({
    default: defaultLimits.maxFailedExtractions,
    desc: "Number of jobs of an account that may end as extraction_failed within an hour. An account with more failed jobs gets rate_limited if they are also more than MAX_FAILED_PERCENT of its jobs. An account can have its own limit.",
  }),
  MAX_FAILED_PERCENT: wholeNumber(
    0,
    100,
  )({
    default: defaultLimits.maxFailedPercent,
    desc: "Percentage of an account's jobs that may end as extraction_failed within an hour. See MAX_FAILED_EXTRACTIONS.",
  }),
  EXTRACTIONS_PER_MINUTE: count({
    default: defaultLimits.extractionsPerMinute,
    desc: "Extraction requests that an account may send in a minute.",
  }),
  READS_PER_MINUTE: count({
    default: defaultLimits.readsPerMinute,
    desc: "Read requests that an account may send in a minute.",
  }),
  UNAUTHORISED_PER_MINUTE: count({
    default: defaultLimits.unauthorisedPerMinute,
    desc: "Requests without a live key that an IP address (for IPv6: a /64 network) may send in a minute. Requests with a live key do not count.",
  }),
  JOB_TIMEOUT_SECONDS: wholeNumber(
    1,
    86_400,
  )({
    default: defaultLimits.jobTimeoutSeconds,
    desc: "Time from admission to a job's deadline, in seconds. It includes the wait in the queue.",
  }),
  EVIDENCE_SECONDS: wholeNumber(
    0,
    600,
  )({
    default: defaultLimits.evidenceSeconds,
    desc: "How long the evidence of an answer may take, in seconds, for requests that ask for it. The answer waits for it. It ends 15 seconds before the job's deadline at the latest. 0 gathers none.",
  }),
  IDEMPOTENCY_HOURS: count({
    default: defaultLimits.idempotencyHours,
    desc: "How long an idempotency key is valid, in hours.",
  }),
  MCP_REPLAY_SECONDS: wholeNumber(
    0,
    86_400,
  )({
    default: defaultLimits.mcpReplaySeconds,
    desc: "How long after its success a job answers an identical MCP call without charge, in seconds; 0 turns this off.",
  }),
  MINIMUM_BILLED_SECONDS: count({
    default: defaultLimits.minimumBilledSeconds,
    desc: "Minimum billed seconds of a job.",
  }),
  FREE_SECONDS: wholeNumber(
    0,
    1_000_000,
  )({
    default: defaultLimits.freeSeconds,
    desc: "Seconds that a new account gets once, for free.",
  }),
};

/** The settings by subject, in the order of docs/configuration.md. */
export const sections = {
  Listeners: listeners,
  Dependencies: dependencies,
  "The provider": provider,
  "The second look": checks,
  Operation: operation,
  Dashboard: dashboard,
  "Uploads and URLs": transfers,
  Limits: limits,
};

/**
 * Every setting of every process, declared once. It reads the environment, types the configuration and writes
 * docs/configuration.md. A setting without a default is required by the processes that read it.
 */
export const declaration = {
  ...listeners,
  ...dependencies,
  ...provider,
  ...checks,
  ...operation,
  ...dashboard,
  ...transfers,
  ...limits,
};
