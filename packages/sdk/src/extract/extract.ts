import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import { checkResponse } from "../http/check-response.ts";
import type { Connection } from "../http/connection.ts";
import { type ScheduledRetry, sleep, withRetries } from "../http/retry.ts";
import { type HttpResponse, send } from "../http/send.ts";
import { withAbort } from "../http/with-abort.ts";
import type { ExtractResponse } from "../shapes.ts";
import { type Form, toForm } from "../upload/form.ts";
import { type OpenVideo, openVideo } from "../upload/open-video.ts";
import type { Extraction, ExtractRequest } from "./extract-request.ts";
import type { Progress } from "./progress.ts";
import { toSchemaText } from "./schema-text.ts";
import { startWaitingTimer } from "./waiting-timer.ts";

type Report = (progress: Progress) => void;

// Long enough for the service to answer the fields before the file is sent.
const earlyRefusalMs = 1000;

/**
 * Extracts data from one video (specification, "POST /v1/extract"). Every try carries the same Idempotency-Key: a retry
 * joins the job or gets its answer, and nothing is charged twice.
 */
export async function extract(connection: Connection, request: ExtractRequest): Promise<Extraction<unknown>> {
  const idempotencyKey = toIdempotencyKey(request.idempotencyKey);
  const schema = toSchemaText(request.schema);
  const { instructions, videoUrl } = request;
  if ((request.video === undefined) === (videoUrl === undefined)) {
    throw new TypeError("Pass either video or videoUrl, and not both.");
  }
  return withAbort(request.signal, async (stop) => {
    stop.signal.throwIfAborted();
    const video = request.video === undefined ? undefined : await openVideo(request.video, request.fileName);
    const fields = { schema, instructions, video_url: videoUrl === undefined ? undefined : String(videoUrl) };
    try {
      const upload = {
        form: toForm(fields, video),
        video,
        idempotencyKey,
        keyIsNew: request.idempotencyKey === undefined,
      };
      return await sendUntilAnswered(connection, upload, stop, reporter(request.onProgress, stop));
    } finally {
      await video?.close();
    }
  });
}

type Upload = { form: Form; video: OpenVideo | undefined; idempotencyKey: string; keyIsNew: boolean };

async function sendUntilAnswered(
  connection: Connection,
  upload: Upload,
  stop: AbortController,
  report: Report,
): Promise<Extraction<unknown>> {
  let brokeInUpload = false;
  const { retries } = connection;
  const onRetry = (retry: ScheduledRetry) => report({ stage: "retrying", ...retry });
  try {
    return await withRetries({ retries, signal: stop.signal, onRetry }, async () => {
      const outcome = await sendOnce(connection, upload, { stop, report, delayFile: brokeInUpload });
      if ("response" in outcome) return toExtraction(connection, outcome.response);
      brokeInUpload = outcome.brokeInUpload;
      throw outcome.error;
    });
  } catch (error) {
    throw withAdvice(error, upload);
  }
}

/** Sends the request once. Throws the file's read error, because no retry can fix it. */
async function sendOnce(
  connection: Connection,
  { form, video, idempotencyKey }: Upload,
  { stop, report, delayFile }: { stop: AbortController; report: Report; delayFile: boolean },
): Promise<{ response: HttpResponse } | { error: unknown; brokeInUpload: boolean }> {
  let stopWaiting = () => {};
  const over = new AbortController();
  const body = form.body({
    // A refusal gets lost when the connection breaks during the upload. The delay lets the refusal arrive first.
    ...(delayFile && { beforeFile: () => sleep(earlyRefusalMs, over.signal) }),
    onSent: (sentBytes) => report({ stage: "uploading", sentBytes, totalBytes: video?.size ?? 0 }),
    onEnd: () => {
      stopWaiting = startWaitingTimer((elapsedMs) => report({ stage: "waiting", elapsedMs }));
    },
  });
  const headers = { ...form.headers, "idempotency-key": idempotencyKey };
  try {
    const outgoing = { method: "POST", path: "/v1/extract", headers, body: body.stream } as const;
    return { response: await send(connection, outgoing, stop.signal) };
  } catch (error) {
    const readError = body.readError();
    if (readError !== undefined) throw readError;
    return { error, brokeInUpload: !body.isSent() };
  } finally {
    body.stop();
    over.abort();
    stopWaiting();
  }
}

function toExtraction(connection: Connection, response: HttpResponse): Extraction<unknown> {
  const body = checkResponse<ExtractResponse>(connection, response, "id", "data");
  return { ...body, json: response.text, replayed: response.headers.get("idempotent-replayed") === "true" };
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

/** Adds what the caller needs after the last try: how to read the answer later, or that the video changed. */
function withAdvice(error: unknown, { idempotencyKey, keyIsNew }: Upload): unknown {
  if (error instanceof VideoToJsonError && error.code === "idempotency_mismatch" && keyIsNew) {
    const message = "The video changed between two tries. Send it again.";
    return new VideoToJsonError({ code: error.code, message }, error);
  }
  if (!(error instanceof VideoToJsonConnectionError) || !error.retryable) return error;
  const advice = `The job may still run: repeat the request with idempotencyKey "${idempotencyKey}" to get its answer without a second charge, or call recentJobs().`;
  const { cause, status, requestId, retryAfterSeconds } = error;
  return new VideoToJsonConnectionError(`${error.message} ${advice}`, {
    cause,
    status,
    requestId,
    retryAfterSeconds,
    idempotencyKey,
    retryable: true,
  });
}
