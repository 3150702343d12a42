import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { isOpen } from "../api/queries.ts";
import { ApiProblem } from "../api/request.ts";
import type { RunState } from "./run-state.ts";
import { stageOfRecord } from "./stage-list.ts";
import { Stages } from "./stages.tsx";

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
