import { VideoToJsonConnectionError } from "../errors/video-to-json-connection-error.ts";
import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import type { Connection } from "../http/connection.ts";
import { judgeAnswer } from "../http/judge-answer.ts";
import { type Retrying, sleep, withRetries } from "../http/retry.ts";
import { type Answer, send } from "../http/send.ts";
import { withAbort } from "../http/with-abort.ts";
import type { ExtractResponse } from "../shapes.ts";
import { type Form, toForm } from "../upload/form.ts";
import { type OpenVideo, openVideo } from "../upload/open-video.ts";
import type { Extraction, ExtractRequest } from "./extract-request.ts";
import type { Progress } from "./progress.ts";
import { toSchemaText } from "./schema-text.ts";
import { startWaiting } from "./start-waiting.ts";

type Tell = (progress: Progress) => void;

// Time enough for the service to refuse what can be refused before the file.
const earlyRefusalMs = 1000;

/**
 * Extracts from one video (specification, "POST /v1/extract"). Every try carries the same Idempotency-Key, so that a
 * repetition joins the job or gives its answer, and nothing is paid twice.
 */
export async function extract(connection: Connection, request: ExtractRequest): Promise<Extraction<unknown>> {
  const idempotencyKey = toIdempotencyKey(request.idempotencyKey);
  const schema = toSchemaText(request.schema);
  const { instructions, videoUrl } = request;
  if ((request.video === undefined) === (videoUrl === undefined)) {
    throw new TypeError("Neither or both of video and videoUrl were passed. Pass one.");
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
      return await sendUntilAnswered(connection, upload, stop, teller(request.onProgress, stop));
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
  tell: Tell,
): Promise<Extraction<unknown>> {
  let brokeInUpload = false;
  const { retries } = connection;
  const onRetry = (retrying: Retrying) => tell({ stage: "retrying", ...retrying });
  try {
    return await withRetries({ retries, signal: stop.signal, onRetry }, async () => {
      const outcome = await sendOnce(connection, upload, { stop, tell, hold: brokeInUpload });
      if ("answer" in outcome) return toExtraction(connection, outcome.answer);
      brokeInUpload = outcome.brokeInUpload;
      throw outcome.error;
    });
  } catch (error) {
    throw explained(error, upload);
  }
}

/** One try. A file that cannot be read throws what went wrong with it, which no other try would mend. */
async function sendOnce(
  connection: Connection,
  { form, video, idempotencyKey }: Upload,
  { stop, tell, hold }: { stop: AbortController; tell: Tell; hold: boolean },
): Promise<{ answer: Answer } | { error: unknown; brokeInUpload: boolean }> {
  let endWaiting = () => {};
  const over = new AbortController();
  const body = form.body({
    // A refusal can get lost when the connection is cut while much is being sent: this time it gets to come first.
    ...(hold && { beforeFile: () => sleep(earlyRefusalMs, over.signal) }),
    onSent: (sentBytes) => tell({ stage: "uploading", sentBytes, totalBytes: video?.size ?? 0 }),
    onEnd: () => {
      endWaiting = startWaiting((elapsedMs) => tell({ stage: "waiting", elapsedMs }));
    },
  });
  const headers = { ...form.headers, "idempotency-key": idempotencyKey };
  try {
    const outgoing = { method: "POST", path: "/v1/extract", headers, body: body.stream } as const;
    return { answer: await send(connection, outgoing, stop.signal) };
  } catch (error) {
    const fault = body.fault();
    if (fault !== undefined) throw fault;
    return { error, brokeInUpload: !body.isSent() };
  } finally {
    body.stop();
    over.abort();
    endWaiting();
  }
}

function toExtraction(connection: Connection, answer: Answer): Extraction<unknown> {
  const body = judgeAnswer<ExtractResponse>(connection, answer, "id", "data");
  return { ...body, json: answer.text, replayed: answer.headers.get("idempotent-replayed") === "true" };
}

/** Tells the caller; what the caller's function throws ends the extraction. */
function teller(onProgress: ((progress: Progress) => void) | undefined, stop: AbortController): Tell {
  return (progress) => {
    if (stop.signal.aborted) return;
    try {
      onProgress?.(progress);
    } catch (error) {
      stop.abort(error);
    }
  };
}

function toIdempotencyKey(given: string | undefined): string {
  if (given === undefined) return crypto.randomUUID();
  if (/^[\x20-\x7e]{1,255}$/.test(given)) return given;
  throw new TypeError("idempotencyKey is not 1 to 255 printable ASCII characters. Pass another.");
}

/** What gave up in the end says how its answer can still be had, or what became of the file. */
function explained(error: unknown, { idempotencyKey, keyIsNew }: Upload): unknown {
  if (error instanceof VideoToJsonError && error.code === "idempotency_mismatch" && keyIsNew) {
    const message = "The video changed between two tries of sending it. Send it again.";
    return new VideoToJsonError({ code: error.code, message }, error);
  }
  if (!(error instanceof VideoToJsonConnectionError) || !error.retryable) return error;
  const advice = `If a try got through, its extraction runs on: the same request with idempotencyKey "${idempotencyKey}" gives its answer without paying twice, and recentJobs() lists it.`;
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
