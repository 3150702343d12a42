import { tmpdir } from "node:os";
import { join } from "node:path";
import { completeLists, defaultLimits, longestFormTailSeconds, secondLooks } from "@video-to-json/contract";
import { addresses, hostPorts, oneOf, redisUrl, secret, storageUrl, textLike, urlOf, wholeNumber } from "./kinds.ts";
import { provider } from "./provider-settings.ts";

const port = wholeNumber(0, 65_535);
const count = wholeNumber(1, 1_000_000);
const bytes = wholeNumber(1, 2 ** 40);
const path = textLike(/./, "a path");

const listeners = {
  HOST: textLike(
    /^\S+$/,
    "a host name or address",
  )({
    default: "127.0.0.1",
    desc: "Address that the API listens on, and the operator's listener of a process with a METRICS_PORT.",
  }),
  PORT: port({ default: 3000, desc: "Port that the API listens on. 0 means any free port." }),
  PUBLIC_URL: addresses({
    default: [],
    desc: "Addresses by which callers reach the API, separated by commas. The interface description names the first one; without it, the description names the host of the request. `/v1/mcp` refuses other host names, except IP addresses and names of this machine.",
    example: "https://api.example.com,http://api:3000",
  }),
  TRUST_PROXIES: wholeNumber(
    0,
    10,
  )({
    default: 0,
    desc: "Number of proxies in front of the API that may set X-Forwarded-* headers.",
  }),
  METRICS_PORT: port({
    default: 0,
    desc: "Port of the operator's listener, with /metrics, /healthz and /readyz, on the address of HOST. Strangers must not reach it. 0 means any free port of 127.0.0.1.",
  }),
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
  REDIS_URL: redisUrl({
    desc: "Address of Redis, which holds the queue and the rate limits. No job is lost if Redis loses its data. Every Redis key begins with `v2j`; a second installation on the same Redis names another prefix: `redis://host:6379/0?prefix=other`. `rediss://` uses TLS, with `?ca=/ca.pem` for an authority of your own. For Sentinel: `redis+sentinel://:password@one:26379,two:26379/name?sentinel-password=other`. See [Connections](operating.md#connections).",
    example: "redis://host:6379",
  }),
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
  REQUIRE_CONFINEMENT: oneOf(["off", "on"])({
    default: "off",
    desc: "Whether a worker refuses to start if a part of [ffmpeg's confinement](../SECURITY.md#the-platforms-of-ffmpeg) is missing: `off` or `on`. With `off` it only logs what is missing. The images set `on`.",
  }),
};

const checks = {
  SECOND_LOOK: oneOf(secondLooks)({
    default: "off",
    desc: "Whether the times of an answer are checked in narrow clips of the video before it is returned: `off`, `auto` or `times`. A request may say otherwise with the header `Second-Look`. `times` costs at most twice the price of the question that was answered, `auto` half of that, and both half a minute. Off until a run against the live provider shows the gain.",
  }),
  COMPLETE_LISTS: oneOf(completeLists)({
    default: "off",
    desc: "Whether lists of moments are completed window by window: `off` or `on`. A request may say otherwise with the header `Complete-Lists`. Applies to videos of more than two minutes. It costs at most three times the price of the question that was answered, and a minute. Off until a run against the live provider shows the gain.",
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
  RESTORED_TO: textLike(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/,
    "a time such as 2027-01-31T18:00:00Z",
  )({
    default: undefined,
    desc: "After a restore from a backup, the time of the restored state (UTC). A caller who asks for an unknown job then reads that newer jobs are unknown and were not charged. `infra/archive restore` sets it. Remove it when nobody asks for jobs of that time any more.",
    example: "2027-01-31T18:00:00Z",
  }),
  WORKER_CONCURRENCY: wholeNumber(
    1,
    1000,
  )({
    default: 32,
    desc: "Number of jobs that one worker runs at once. Most of them wait, for a URL or for the provider; ffmpeg runs for as many of them at once as the machine has cores.",
  }),
  GLOBAL_CONCURRENCY: count({
    default: undefined,
    desc: "Number of jobs that all workers together have with the provider at once, from upload to answer: 50 if not given, and 2 with PROVIDER=chat, because one graphics card answers few questions at once.",
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
  SMTP_URL: urlOf(["smtp:", "smtps:"])({
    default: undefined,
    desc: "Mail server that sends the codes to sign in, with the address of the sender as `from`. Without it, people can sign in at localhost only, with codes from the log of the API. A password is sent only over TLS: add `ignoreTLS=true` for a server in your own network that has none.",
    example: "smtps://user:password@mail.example.com?from=no-reply@example.com",
  }),
  SESSION_SECRET: secret({
    default: undefined,
    desc: "Signs the cookies of the dashboard's sessions, the same for all APIs: 32 random characters or more. Without it, the first API makes one and the database keeps it. A new one signs everybody out.",
  }),
  FREE_GRANTS_PER_DAY: count({
    default: 500,
    desc: "How many people who sign up by themselves get the free seconds in a day (UTC). Later ones have an account without seconds.",
  }),
  FREE_GRANTS_PER_DOMAIN: count({
    default: 10,
    desc: "How many of them may have addresses of one domain. Large public mail providers have no such limit.",
  }),
  FREE_GRANTS_PER_NETWORK: count({
    default: 10,
    desc: "How many of them may come from one network: an IPv4 /24 or an IPv6 /48.",
  }),
};

const transfers = {
  FETCH_ALLOW_HOSTS: hostPorts({
    default: [],
    desc: "Private `host:port` pairs that `video_url` may name, for tests and intranets. Only these names may be resolved from the hosts file.",
    example: "127.0.0.1:8000,media.internal:80",
  }),
  ORPHAN_UPLOAD_SECONDS: wholeNumber(
    longestFormTailSeconds + 30,
    86_400,
  )({
    default: 600,
    desc: "How long an upload without a job is kept after its last byte, in seconds. The form fields after the video may take 300 s, so it is longer than that.",
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
  JOB_TIMEOUT_SECONDS: wholeNumber(
    1,
    86_400,
  )({
    default: defaultLimits.jobTimeoutSeconds,
    desc: "Time from admission to a job's deadline, in seconds. It includes the wait in the queue.",
  }),
  IDEMPOTENCY_HOURS: count({
    default: defaultLimits.idempotencyHours,
    desc: "How long an idempotency key is valid, in hours.",
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
  MORE_MINUTES: textLike(
    /^[^\p{C}]{1,300}[.!?]$/u,
    "whole sentences of 300 characters at most, with a full stop",
  )({
    default: defaultLimits.moreMinutes,
    desc: "How people get more minutes, in one or two sentences. The dashboard shows it when an account has none left, with a link for an address in it, and so do `out_of_minutes` errors.",
    example: "Buy minutes at https://example.com/minutes or write to sales@example.com.",
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
