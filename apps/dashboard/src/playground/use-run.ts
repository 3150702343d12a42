import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef } from "react";
import { nextRunState, type RunState } from "./run-state.ts";
import { type Extraction, sendExtraction } from "./send-extraction.ts";

export type Run = {
  readonly state: RunState;
  readonly start: (extraction: Extraction) => void;
  /** Before the admission it cancels the request; afterwards the page only forgets the run. */
  readonly stop: () => void;
};

/** The run of this page. `onAdmitted` gets the id of its job. */
export function useRun(onAdmitted: (jobId: string) => void): Run {
  const [state, report] = useReducer(nextRunState, { step: "idle" });
  const abort = useRef<() => void>(undefined);
  const admitted = useRef(onAdmitted);
  admitted.current = onAdmitted;
  const client = useQueryClient();

  const start = useCallback(
    (extraction: Extraction) => {
      abort.current = sendExtraction(extraction, (event) => {
        report(event);
        if (event.kind === "admitted") admitted.current(event.id);
        if (event.kind === "result" || event.kind === "failed") void client.invalidateQueries();
      });
    },
    [client],
  );
  const stop = useCallback(() => {
    abort.current?.();
    report({ kind: "forgotten" });
  }, []);
  useEffect(() => () => abort.current?.(), []);
  return { state, start, stop };
}
