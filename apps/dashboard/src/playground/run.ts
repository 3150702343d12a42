import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import { type Clock, useClock } from "../clock/clock.ts";
import { activeMoments, litPointers } from "../moments/active-moments.ts";
import type { Moment } from "../moments/moment.ts";
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

/** Returns the pointers of the answer that the video is at. The set stays the same object until one of them changes. */
export function useLit(clock: Clock, moments: readonly Moment[]): ReadonlySet<string> {
  const active = useClock(clock, (seconds) =>
    activeMoments(moments, seconds)
      .map(({ pointer }) => pointer)
      .join("\n"),
  );
  return useMemo(() => {
    const pointers = new Set(active.split("\n"));
    return active === "" ? new Set() : litPointers(moments.filter(({ pointer }) => pointers.has(pointer)));
  }, [active, moments]);
}

/** Calls `run` on Ctrl+Enter, on a Mac also on Command+Enter, wherever the focus is, even in the editor. */
export function useRunShortcut(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, []);
}
