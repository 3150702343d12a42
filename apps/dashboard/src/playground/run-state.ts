import type { ExtractResponse } from "@video-to-json/contract/shapes/extract";
import type { ApiProblem } from "../api/request.ts";

/** A run of the playground, as this page knows it. */
export type RunState =
  | { readonly step: "idle" }
  | { readonly step: "sending"; readonly sent: number; readonly total: number }
  /** The connection broke before the reply. The page looks whether the service has a job of the request. */
  | { readonly step: "searching" }
  /** `cut`: the stream ended without a result. The job continues, and its record shows how it ends. */
  | {
      readonly step: "running";
      readonly jobId: string;
      readonly stage: string;
      readonly attempt: number;
      readonly cut: boolean;
    }
  | { readonly step: "succeeded"; readonly jobId: string; readonly billedSeconds: number }
  | { readonly step: "failed"; readonly jobId: string | undefined; readonly problem: ApiProblem };

/** An event of a run. */
export type RunEvent =
  | { readonly kind: "started"; readonly total: number }
  | { readonly kind: "sent"; readonly sent: number; readonly total: number }
  | { readonly kind: "admitted"; readonly id: string }
  | { readonly kind: "progress"; readonly stage: string; readonly attempt: number }
  | { readonly kind: "result"; readonly answer: Pick<ExtractResponse, "id" | "billed_seconds"> }
  | { readonly kind: "failed"; readonly problem: ApiProblem }
  | { readonly kind: "cut" }
  | { readonly kind: "found"; readonly id: string }
  | { readonly kind: "forgotten" };

/** Returns the state of a run after an event. */
export function nextRunState(state: RunState, event: RunEvent): RunState {
  const jobId = "jobId" in state ? state.jobId : undefined;
  switch (event.kind) {
    case "started":
      return { step: "sending", sent: 0, total: event.total };
    case "sent":
      return state.step === "sending" ? { step: "sending", sent: event.sent, total: event.total } : state;
    case "admitted":
    case "found":
      return { step: "running", jobId: event.id, stage: "queued", attempt: 1, cut: event.kind === "found" };
    case "progress":
      return state.step === "running" ? { ...state, stage: event.stage, attempt: event.attempt } : state;
    case "result":
      return { step: "succeeded", jobId: event.answer.id, billedSeconds: event.answer.billed_seconds };
    case "failed":
      return { step: "failed", jobId, problem: event.problem };
    case "cut":
      return state.step === "running" ? { ...state, cut: true } : { step: "searching" };
    case "forgotten":
      return { step: "idle" };
    default:
      return event satisfies never;
  }
}
