import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { RunRecord } from "@video-to-json/contract/dashboard/jobs";
import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";
import { ApiProblem, read } from "../api/request.ts";
import { type Clock, useClock } from "../clock/clock.ts";
import { activeMoments, litPointers, type Moment } from "../moments/moment.ts";
import { endRun, keyOfRun, openRunKey } from "./draft.ts";
import { nextRunState, type RunEvent, type RunState } from "./run-state.ts";
import { type Extraction, sendExtraction } from "./send-extraction.ts";

export type Run = {
  readonly state: RunState;
  readonly start: (extraction: Extraction) => void;
  /** Before the admission it cancels the request; afterwards the page only forgets the run. */
  readonly stop: () => void;
};

/** The run of this page. `onAdmitted` gets the id of its job, also of one that the page sent before it was loaded again. */
export function useRun(account: string, onAdmitted: (jobId: string) => void): Run {
  const [state, report] = useReducer(nextRunState, { step: "idle" });
  const abort = useRef<() => void>(undefined);
  const admitted = useRef(onAdmitted);
  admitted.current = onAdmitted;
  const client = useQueryClient();

  const start = useCallback(
    (extraction: Extraction) => {
      const key = keyOfRun(account, extraction);
      const stopped = new AbortController();
      let isAdmitted = false;
      const tell = (event: RunEvent) => {
        if (stopped.signal.aborted) return;
        report(event);
        if (event.kind === "admitted" || event.kind === "found") {
          isAdmitted = true;
          endRun(account);
          admitted.current(event.id);
        }
        if (event.kind === "result" || event.kind === "failed") void client.invalidateQueries();
        if (event.kind === "cut" && !isAdmitted) void search(client, key, stopped.signal).then(tell);
      };
      const cancel = sendExtraction(extraction, key, tell);
      abort.current = () => {
        stopped.abort();
        cancel();
      };
    },
    [client, account],
  );
  const stop = useCallback(() => {
    abort.current?.();
    report({ kind: "forgotten" });
  }, []);
  useEffect(() => {
    let isHere = true;
    const key = openRunKey(account);
    // The page left while it sent a run. If the service has it, the page opens it.
    if (key !== undefined) {
      void findRun(client, key)
        .catch(() => null)
        .then((id) => {
          if (id === null || !isHere || abort.current) return;
          endRun(account);
          admitted.current(id);
        });
    }
    return () => {
      isHere = false;
      abort.current?.();
    };
  }, [client, account]);
  return { state, start, stop };
}

/** Asks the service for the job of an idempotency key, for as long as it takes to get an answer. */
async function findRun(client: QueryClient, key: string): Promise<string | null> {
  const queryFn = () => read<RunRecord>(`runs/${key}`);
  try {
    return (await client.fetchQuery({ queryKey: ["run", key], queryFn, staleTime: 0 })).job_id;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

// A proxy can break the connection while the service still reads the last bytes of a request.
const looks = 5;
const pauseMs = 1000;

/** Looks for the job of a request whose reply was lost. */
async function search(client: QueryClient, key: string, stopped: AbortSignal): Promise<RunEvent> {
  try {
    for (let look = 1; look <= looks && !stopped.aborted; look++) {
      const id = await findRun(client, key);
      if (id !== null) return { kind: "found", id };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    const message = "The connection broke before the service had the whole request. Nothing was charged. Run it again.";
    return { kind: "failed", problem: new ApiProblem(0, "unreachable", message, [], null) };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { kind: "failed", problem: error };
  }
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
