import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { Check } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { isOpen } from "../api/queries.ts";
import { ApiProblem } from "../api/request.ts";
import { bytesText } from "../design/format.ts";
import type { RunState } from "./run-state.ts";

/** The stages of a run in order, as the page names them. */
const stageList = [
  { id: "sending", doing: "Sending the video", done: "Video sent" },
  { id: "queued", doing: "Waiting for a worker", done: "A worker has started it" },
  { id: "obtaining", doing: "Fetching the video", done: "Video fetched" },
  { id: "probing", doing: "Measuring the video", done: "Video measured" },
  { id: "uploading", doing: "Sending it to the model", done: "Sent to the model" },
  { id: "analysing", doing: "Watching and checking the answer", done: "Answer conforms" },
  { id: "settling", doing: "Storing the answer", done: "Answer stored" },
] as const;

/** Returns the index of a stage in the list. An unknown stage counts as one in the middle. */
function stageIndex(stage: string): number {
  const index = stageList.findIndex(({ id }) => id === stage);
  return index === -1 ? stageList.findIndex(({ id }) => id === "obtaining") : index;
}

/** Returns the current stage of a job whose record the page polls: the last stage with a time. */
function stageOfRecord(status: string, timings: readonly { readonly stage: string }[] | null): string {
  return status === "queued" ? "queued" : (timings?.at(-1)?.stage ?? "obtaining");
}

type RunProgressProps = { readonly state: RunState; readonly record: DashboardJob | undefined };

/** The stage of a run, or why it failed. Empty before the first run. */
export function RunProgress({ state, record }: RunProgressProps) {
  const failure = failureOf(state, record);
  if (failure) {
    return (
      <div className="card-body">
        <ProblemNotice problem={failure} />
      </div>
    );
  }
  if (state.step === "sending") {
    return <Stages stage="sending" attempt={1} upload={state} />;
  }
  if (state.step === "searching") {
    return (
      <p className="card-body run-search" role="status">
        <span className="spinner" aria-hidden="true" /> The connection broke. The page looks for the run at the service.
      </p>
    );
  }
  if (state.step === "running" && !state.cut) return <Stages stage={state.stage} attempt={state.attempt} />;
  if (record && isOpen(record)) {
    return <Stages stage={stageOfRecord(record.status, record.timings)} attempt={record.attempts ?? 1} />;
  }
  // The answer has arrived, and its record is being read.
  if (state.step === "succeeded" || state.step === "running") return <Stages stage="settling" attempt={1} />;
  return undefined;
}

function failureOf(state: RunState, record: DashboardJob | undefined): ApiProblem | undefined {
  if (state.step === "failed") return state.problem;
  if (state.step === "sending" || !record?.error) return undefined;
  const { code, message, details } = record.error;
  return new ApiProblem(422, code, message, details ?? [], null);
}

type StagesProps = {
  /** `sending`, `queued`, or a stage of the job. */
  readonly stage: string;
  readonly attempt: number;
  readonly upload?: { readonly sent: number; readonly total: number } | undefined;
};

/** The stages of a run, with the current one marked. */
function Stages({ stage, attempt, upload }: StagesProps) {
  const now = stageIndex(stage);
  return (
    <ol className="stages">
      {stageList.map(({ id, doing, done }, index) => {
        const state = index < now ? "done" : index === now ? "now" : "next";
        return (
          <li key={id} className={`stage stage-${state}`} aria-current={state === "now" ? "step" : undefined}>
            <span className="stage-sign" aria-hidden="true">
              {state === "done" ? <Check /> : state === "now" ? <span className="spinner" /> : null}
            </span>
            <span>
              {state === "done" ? done : doing}
              {state === "now" && id === "analysing" && attempt > 1 && (
                <span className="muted"> · attempt {attempt} of 3</span>
              )}
              {state === "now" && id === "sending" && upload && upload.total > 0 && (
                <UploadProgress sent={upload.sent} total={upload.total} />
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function UploadProgress({ sent, total }: { readonly sent: number; readonly total: number }) {
  return (
    <span className="upload">
      <progress value={sent} max={total} aria-label="Upload" />
      <span className="muted numeric">
        {bytesText(sent)} of {bytesText(total)}
      </span>
    </span>
  );
}
