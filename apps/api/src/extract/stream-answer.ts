import type { JobProgress, Problem } from "@video-to-json/contract";
import type { AdmittedEvent, FailedEvent, ProgressEvent, WarningEvent } from "@video-to-json/contract/shapes/extract";
import { type EventStream, openEventStream } from "@video-to-json/runtime/http";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { Response } from "express";
import { asProblem, isServiceFailure } from "../errors/on-error.ts";
import { contextOf } from "../http/context.ts";
import { type AdmitAndWaitDeps, admitAndWait, type Extraction } from "./admit-and-wait.ts";
import { extractResponseText, jobHeaders, linkEvidence, secondLookCountsOf } from "./job-answer.ts";

export type StreamDeps = {
  readonly log: Pick<Logger, "error">;
  /** The time between two comments of a stream, in milliseconds. */
  readonly commentEveryMs: number;
};

/**
 * Answers an extraction with a stream of events: `admitted`, `progress` at every change, and `result` or `error` as the
 * last one (docs/decisions/0001, "Held calls"). Throws the Problem of a request that is refused before its admission.
 */
export async function streamAnswer(
  deps: AdmitAndWaitDeps & StreamDeps,
  response: Response,
  extraction: Omit<Extraction, "onAdmitted" | "onProgress">,
): Promise<void> {
  const nameJob = jobHeaders(response, extraction.request);
  const changeOf = createProgressChanges();
  let stream: EventStream | undefined;
  try {
    const row = await admitAndWait(deps, {
      ...extraction,
      onAdmitted(admission) {
        nameJob(admission);
        if (admission.kind === "unknown") return;
        if (extraction.request.wantsEvidence) linkEvidence(response, admission.jobId);
        stream = openEventStream(response, deps);
        const admitted: AdmittedEvent = { id: admission.jobId, replayed: admission.kind === "replayed" };
        stream.send({ name: "admitted", data: JSON.stringify(admitted) });
        for (const warning of extraction.request.warnings ?? []) {
          stream.send({ name: "warning", data: JSON.stringify(warning satisfies WarningEvent) });
        }
      },
      onProgress(progress) {
        const change = changeOf(progress);
        if (change) stream?.send({ name: "progress", data: JSON.stringify(change) });
      },
    });
    const counts = row && secondLookCountsOf(row);
    if (counts) stream?.send({ name: "second_look", data: JSON.stringify(counts) });
    if (row) stream?.end({ name: "result", data: extractResponseText(row) });
  } catch (error) {
    if (!stream) throw error;
    const problem = asProblem(error);
    const context = contextOf(response);
    const { requestId } = context;
    if (isServiceFailure(problem)) deps.log.error({ err: error, requestId, path: "/v1/extract" }, "request failed");
    // For the log and the metrics: the status of the response was sent before.
    context.status = problem.status;
    context.code = problem.code;
    stream.end(failureEvent(problem));
  }
}

/** `Retry-After` cannot be a header any more, so it is the reconnection time of the stream. */
function failureEvent(problem: Problem) {
  const failed: FailedEvent = { status: problem.status, error: problem.toInside() };
  const retryMs = problem.retryAfterSeconds === undefined ? undefined : problem.retryAfterSeconds * 1000;
  return { name: "error", data: JSON.stringify(failed), retryMs };
}

/**
 * Returns a function that formats progress as an event's data. It returns undefined if the data equals the last one.
 */
function createProgressChanges(): (progress: JobProgress) => ProgressEvent | undefined {
  let last: ProgressEvent | undefined;
  return ({ stage, attempt = stage === "settling" ? (last?.attempt ?? 1) : 1 }) => {
    if (last?.stage === stage && last.attempt === attempt) return undefined;
    last = { stage, attempt };
    return last;
  };
}
