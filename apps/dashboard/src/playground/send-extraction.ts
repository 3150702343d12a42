import type {
  AdmittedEvent,
  ExtractResponse,
  FailedEvent,
  ProgressEvent,
} from "@video-to-json/contract/shapes/extract";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ApiProblem, accountHeader, apiBase, problemOf } from "../api/request.ts";
import { clipOf, type Look } from "./look.ts";
import type { RunEvent } from "./run-state.ts";

/** The video of a run: a local file, or an address that the service fetches. */
type VideoSource = { readonly kind: "file"; readonly file: File } | { readonly kind: "url"; readonly url: string };

/** The request of a run. */
export type Extraction = {
  readonly video: VideoSource;
  readonly schema: string;
  readonly instructions: string;
  readonly look: Look;
  /** Whether a schema that probably means something else runs nevertheless. */
  readonly acceptWarnings: boolean;
  /** Whether the request asks for evidence of the answer. */
  readonly evidence: boolean;
};

/**
 * Sends an extraction with an idempotency key and reports what happens to it. The file is streamed from disk by the
 * browser. Returns a function that stops it: before the admission it cancels the request, afterwards the job continues.
 *
 * `XMLHttpRequest` is used because `fetch` reports no progress of an upload.
 */
export function sendExtraction(extraction: Extraction, key: string, report: (event: RunEvent) => void): () => void {
  const request = new XMLHttpRequest();
  let read = 0;
  let ended = false;
  const end = (event: RunEvent) => {
    if (ended) return;
    ended = true;
    report(event);
  };
  const parser = createParser({ onEvent: (message) => reportMessage(message, report, end) });
  const readMore = () => {
    if (request.status !== 200) return;
    const text = request.responseText.slice(read);
    read = request.responseText.length;
    parser.feed(text);
  };
  request.upload.onprogress = ({ loaded, total }) => report({ kind: "sent", sent: loaded, total });
  request.onprogress = readMore;
  request.onload = () => {
    if (request.status === 200) {
      readMore();
      end({ kind: "cut" });
      return;
    }
    // A proxy may have lost the reply of a service that admitted the job.
    if (request.status >= 500) return end({ kind: "cut" });
    const problem = problemOf(request.status, request.responseText, request.getResponseHeader("X-Request-Id"));
    end({ kind: "failed", problem });
  };
  request.onerror = () => end({ kind: "cut" });
  request.onabort = () => end({ kind: "forgotten" });

  report({ kind: "started", total: extraction.video.kind === "file" ? extraction.video.file.size : 0 });
  request.open("POST", `${apiBase}/extract`);
  request.setRequestHeader("Accept", "text/event-stream");
  for (const [name, value] of Object.entries(accountHeader())) request.setRequestHeader(name, value);
  request.setRequestHeader("Idempotency-Key", key);
  if (!extraction.acceptWarnings) request.setRequestHeader("Prefer", "handling=strict");
  if (extraction.evidence) request.setRequestHeader("Extract-Evidence", "fields");
  request.send(formOf(extraction));
  return () => request.abort();
}

/** Returns the form of an extraction. The schema goes first: the service then refuses a bad one before the video. */
function formOf({ video, schema, instructions, look }: Extraction): FormData {
  const form = new FormData();
  form.set("schema", schema);
  if (instructions.trim() !== "") form.set("instructions", instructions);
  const clip = clipOf(look);
  if (clip) form.set("clip", JSON.stringify(clip));
  if (look.detail !== "standard") form.set("detail", look.detail);
  if (video.kind === "file") form.set("video", video.file, video.file.name);
  else form.set("video_url", video.url);
  return form;
}

function reportMessage(
  { event, data }: EventSourceMessage,
  report: (event: RunEvent) => void,
  end: (event: RunEvent) => void,
): void {
  if (event === "admitted") report({ kind: "admitted", id: (JSON.parse(data) as AdmittedEvent).id });
  else if (event === "progress") report({ kind: "progress", ...(JSON.parse(data) as ProgressEvent) });
  else if (event === "result") end({ kind: "result", answer: JSON.parse(data) as ExtractResponse });
  else if (event === "error") end({ kind: "failed", problem: failureOf(JSON.parse(data) as FailedEvent) });
}

function failureOf({ status, error }: FailedEvent): ApiProblem {
  return new ApiProblem(status, error.code, error.message, error.details ?? [], null);
}
