import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import { VideoToJsonParseError } from "../errors/video-to-json-parse-error.ts";
import { checkResponse, isObject, parseJson } from "../http/check-response.ts";
import type { Connection } from "../http/connection.ts";
import { isEventStream, readEvents } from "../http/event-stream.ts";
import { longestSilenceMs } from "../http/long-timeout-fetch.ts";
import { noAnswerWithin, toRetries, toTimeout, withAbort } from "../http/request.ts";
import { withResponse } from "../http/response-info.ts";
import { isTransient, type ScheduledRetry, sleep, withRetries } from "../http/retry.ts";
import { type HttpResponse, readWhole, send } from "../http/send.ts";
import type { ExtractResponse, SchemaWarning, SecondLookCounts } from "../shapes.ts";
import { type Form, toForm } from "../upload/form.ts";
import { type OpenVideo, openVideo } from "../upload/open-video.ts";
import { checkOptions, type Extraction, type ExtractRequest } from "./extract-request.ts";
import { createWaiting, type JobProgress, type Progress, type Waiting } from "./progress.ts";
import { readBack } from "./read-back.ts";
import { readSchema } from "./schema-text.ts";
import type { StandardIssue, StandardProperties } from "./standard-schema.ts";

/** Called with the facts about the job that arrive before the answer. */
type JobListener = (found: {
  jobId?: string;
  replayed?: boolean;
  progress?: JobProgress;
  warning?: SchemaWarning;
}) => void;

// The service sends at least a comment every 10 s.
const silenceMs = 45_000;

/**
 * Reads the response to an extraction: a stream of events, or the plain response of a service or a proxy that has none
 * (docs/decisions/0001, "Held calls"). Returns the last event as an ordinary response. Throws when the
 * stream ends without one.
 */
async function receiveAnswer(response: Response, onJob: JobListener): Promise<HttpResponse> {
  const { status, body } = response;
  const headers = new Headers(response.headers);
  const jobId = headers.get("job-id");
  onJob({ ...(jobId && { jobId }), replayed: headers.get("idempotent-replayed") === "true" });
  if (!isEventStream(headers) || !body) return readWhole(response);
  for await (const { name, data, retryMs } of readEvents(body, { silenceMs })) {
    const json = parseJson(data);
    if (name === "result") return { status, headers, text: data };
    if (!isObject(json)) continue;
    if (name === "error") return failure(headers, json, retryMs);
    if (name === "admitted" && typeof json.id === "string") {
      headers.set("job-id", json.id);
      onJob({ jobId: json.id, replayed: json.replayed === true });
    }
    if (name === "warning") onJob({ warning: json as SchemaWarning });
    if (name === "progress") onJob({ progress: json as JobProgress });
    if (name === "second_look") headers.set(secondLookHeader, countsText(json));
  }
  throw new Error("the connection closed before the answer");
}

/** The header of a plain response that says what the second look found. An event says it with the same words as JSON. */
const secondLookHeader = "second-look-result";

function countsText(counts: object): string {
  return Object.entries(counts)
    .map(([verdict, count]) => `${verdict}=${count}`)
    .join(", ");
}

function countsOf(headers: Headers): SecondLookCounts | null {
  const text = headers.get(secondLookHeader);
  if (text === null) return null;
  const counts = text.split(",").map((part) => part.trim().split("="));
  return Object.fromEntries(counts.map(([verdict, count]) => [verdict, Number(count)])) as SecondLookCounts;
}

function failure(
  headers: Headers,
  { status, error }: Record<string, unknown>,
  retryMs: number | undefined,
): HttpResponse {
  if (retryMs !== undefined) headers.set("retry-after", String(Math.ceil(retryMs / 1000)));
  return { status: typeof status === "number" ? status : 500, headers, text: JSON.stringify({ error }) };
}

/**
 * Returns the answer with the data that the library's schema returns for it. Throws VideoToJsonParseError if the schema
 * refuses the data.
 */
async function parseData(
  answer: Extraction<unknown>,
  parser: StandardProperties | undefined,
): Promise<Extraction<unknown>> {
  if (!parser?.validate) return answer;
  const { data, json, id: jobId } = answer;
  const about = `The ${parser.vendor} schema does not accept the data of job ${jobId}`;
  const result = await callValidate(() => parser.validate?.(data)).catch((cause) => {
    throw new VideoToJsonParseError(`${about}: it threw an error.`, { issues: [], data, json, jobId, cause });
  });
  if (result?.issues) {
    const { issues } = result;
    throw new VideoToJsonParseError(`${about}: ${issues.map(issueText).join("; ")}`, { issues, data, json, jobId });
  }
  return Object.defineProperty({ ...answer, data: result?.value }, "response", { value: answer.response });
}

const callValidate = async <T>(validate: () => T) => validate();

function issueText({ message, path = [] }: StandardIssue): string {
  const pointer = path.map((part) => `/${String(typeof part === "object" ? part.key : part)}`).join("");
  return pointer === "" ? message : `${pointer}: ${message}`;
}

type Report = (progress: Progress) => void;

// Long enough for the service to answer the fields before the file is sent.
const earlyRefusalMs = 1000;
// If a proxy cuts off a try after this wait, the try has joined the job, so it does not count as a retry.
const joinMs = 5000;
// A service or a proxy without events answers with plain JSON.
const answerTypes = "text/event-stream, application/json;q=0.9";

/**
 * Extracts data from one video (specification, "POST /v1/extract"). The answer comes as a stream of events, which names
 * the job at once: if the connection breaks, the answer is read by the job's id. Every try carries the same
 * Idempotency-Key: a retry joins the job or gets its answer, and nothing is charged twice.
 */
export async function extract(connection: Connection, request: ExtractRequest): Promise<Extraction<unknown>> {
  checkOptions(request);
  const idempotencyKey = toIdempotencyKey(request.idempotencyKey);
  const { text: schema, parser } = readSchema(request.schema);
  const retries = toRetries(request.retries ?? connection.retries);
  const ms = toTimeout(request.timeout ?? Number.POSITIVE_INFINITY);
  const timeout = { ms, error: () => noAnswerWithin(connection, ms) };
  const { instructions, detail, videoUrl } = request;
  const clip = request.clip && JSON.stringify(request.clip);
  if ((request.video === undefined) === (videoUrl === undefined)) {
    throw new TypeError("Pass either video or videoUrl, and not both.");
  }
  const answer = await withAbort({ signal: request.signal, timeout }, async (stop) => {
    stop.signal.throwIfAborted();
    const video = request.video === undefined ? undefined : await openVideo(request.video, request.fileName);
    const url = videoUrl === undefined ? undefined : String(videoUrl);
    const fields = { schema, instructions, clip, detail, video_url: url };
    try {
      const upload = {
        form: toForm(fields, video),
        video,
        idempotencyKey,
        options: optionsOf(request),
        keyIsNew: request.idempotencyKey === undefined,
        retries,
      };
      return await sendUntilAnswered(connection, upload, stop, reporter(request.onProgress, stop));
    } finally {
      await video?.close();
    }
  });
  return parseData(answer, parser);
}

type Upload = {
  form: Form;
  video: OpenVideo | undefined;
  idempotencyKey: string;
  /** The request headers of its options. */
  options: Record<string, string>;
  keyIsNew: boolean;
  retries: number;
};

function optionsOf({ acceptWarnings = false, evidence = false, secondLook }: ExtractRequest): Record<string, string> {
  return {
    ...(!acceptWarnings && { prefer: "handling=strict" }),
    ...(evidence && { "extract-evidence": "fields" }),
    ...(secondLook !== undefined && { "second-look": secondLook }),
  };
}

/**
 * The shared state of one call's tries: the job that was admitted, and how many tries broke while they waited for one.
 */
type Tries = {
  jobId: string | undefined;
  replayed: boolean;
  warnings: SchemaWarning[];
  /** When the job must have ended, by this machine's clock. */
  until: number;
  joins: number;
  brokeInUpload: boolean;
};

/** Sends the request until it is answered. Reads the answer of a job whose id is known instead of sending again. */
async function sendUntilAnswered(
  connection: Connection,
  upload: Upload,
  stop: AbortController,
  report: Report,
): Promise<Extraction<unknown>> {
  const tries: Tries = {
    jobId: undefined,
    replayed: false,
    warnings: [],
    until: Number.POSITIVE_INFINITY,
    joins: 0,
    brokeInUpload: false,
  };
  const { retries, video } = upload;
  const mayRetry = (attempt: number) =>
    !video?.isUsedUp() && retries > 0 && attempt - tries.joins <= retries && Date.now() < tries.until;
  const onRetry = (retry: ScheduledRetry) => report({ stage: "retrying", ...retry });
  const waiting = createWaiting(report);
  try {
    return await withRetries({ connection, mayRetry, signal: stop.signal, onRetry }, async () => {
      tries.jobId = undefined;
      tries.warnings = [];
      try {
        const response = await sendOnce(connection, upload, { stop, report, waiting, tries });
        return toExtraction(connection, response, tries);
      } catch (error) {
        if (error instanceof VideoToJsonConnectionError && waiting.elapsedMs() >= joinMs) tries.joins += 1;
        if (stop.signal.aborted || tries.jobId === undefined || !isTransient(error)) throw error;
        const lost = { jobId: tries.jobId, reason: error, until: tries.until, signal: stop.signal };
        return toExtraction(connection, await readBack(connection, lost), tries);
      } finally {
        waiting.stop();
      }
    });
  } catch (error) {
    throw withAdvice(error, upload, tries.jobId);
  }
}

/** Sends the request once. Throws the file's read error, because no retry can fix it. */
async function sendOnce(
  connection: Connection,
  { form, video, idempotencyKey, options }: Upload,
  { stop, report, waiting, tries }: { stop: AbortController; report: Report; waiting: Waiting; tries: Tries },
): Promise<HttpResponse> {
  const over = new AbortController();
  const totalBytes = video?.size ?? video?.expectedBytes ?? Number.POSITIVE_INFINITY;
  const body = form.body({
    // A refusal is lost when the connection breaks during the upload. The delay lets the refusal arrive first.
    ...(tries.brokeInUpload && { beforeFile: () => sleep(earlyRefusalMs, over.signal) }),
    onSent: (sentBytes) => report({ stage: "uploading", sentBytes, totalBytes }),
    onEnd: () => {
      tries.until = Math.min(tries.until, Date.now() + longestSilenceMs);
      waiting.start();
    },
  });
  const headers = { ...form.headers, accept: answerTypes, "idempotency-key": idempotencyKey, ...options };
  const onJob: JobListener = (found) => {
    if (found.jobId !== undefined && tries.jobId === undefined) {
      tries.jobId = found.jobId;
    }
    tries.until = Date.now() + longestSilenceMs;
    tries.replayed = found.replayed ?? tries.replayed;
    if (found.warning) {
      tries.warnings.push(found.warning);
      const { path, message, hint } = found.warning;
      connection.log({ level: "warn", message: `${path}: ${message} If not: ${hint}`, jobId: tries.jobId });
    }
    waiting.found(found);
  };
  try {
    const outgoing = { method: "POST", path: "/v1/extract", headers, body: body.stream } as const;
    return await send(connection, outgoing, stop.signal, (response) => receiveAnswer(response, onJob));
  } catch (error) {
    const readError = body.readError();
    if (readError !== undefined) throw readError;
    tries.brokeInUpload = !body.isSent();
    throw error;
  } finally {
    body.stop();
    over.abort();
  }
}

function toExtraction(
  connection: Connection,
  response: HttpResponse,
  { replayed, warnings }: Tries,
): Extraction<unknown> {
  const body = checkResponse<ExtractResponse>(connection, response, "id", "data");
  const secondLook = countsOf(response.headers);
  return withResponse({ ...body, json: response.text, replayed, warnings, secondLook }, response.headers);
}

/** Wraps the caller's `onProgress`. An error that it throws aborts the extraction. */
function reporter(onProgress: ((progress: Progress) => void) | undefined, stop: AbortController): Report {
  return (progress) => {
    if (stop.signal.aborted) return;
    try {
      onProgress?.(progress);
    } catch (error) {
      stop.abort(error);
    }
  };
}

function toIdempotencyKey(key: string | undefined): string {
  if (key === undefined) return crypto.randomUUID();
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new TypeError("idempotencyKey is invalid. Pass 1 to 255 printable ASCII characters.");
}

/** Adds to the error of the last try how to read the answer later, or that the video changed. */
function withAdvice(error: unknown, { idempotencyKey, keyIsNew }: Upload, jobId: string | undefined): unknown {
  if (error instanceof VideoToJsonError && error.code === "idempotency_mismatch" && keyIsNew) {
    const message = "The video changed between two tries. Send it again.";
    return new VideoToJsonError({ code: error.code, message }, error);
  }
  if (!(error instanceof VideoToJsonConnectionError) || !error.retryable) return error;
  const advice = jobId
    ? `The job ${jobId} may still be running: job("${jobId}") reads its answer.`
    : `The job may still be running: repeat the request with idempotencyKey "${idempotencyKey}" to get its answer without a second charge, or call recentJobs().`;
  const { cause, status, requestId, retryAfterSeconds } = error;
  return new VideoToJsonConnectionError(`${error.message} ${advice}`, {
    cause,
    status,
    requestId,
    jobId,
    retryAfterSeconds,
    idempotencyKey,
    retryable: true,
  });
}
