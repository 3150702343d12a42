import type { JobProgress } from "@video-to-json/contract";

/** Reports the progress of a long call to its caller. */
export type Progress = {
  /** Puts the id of the job into every message from now on. */
  nameJob(jobId: string): void;
  /** Reports a new stage at once. */
  report(stage: JobProgress | "queued"): void;
  stop(): void;
};

const intervalMs = 4000;

/**
 * Sends a notification now, at every stage, and every four seconds until `stop`, so that no client takes the call for
 * dead. `progress` is the number of seconds so far, and each value is larger than the one before.
 */
export function reportProgress(send: (update: { progress: number; message: string }) => Promise<unknown>): Progress {
  const startedAt = performance.now();
  let last = 0;
  let job = "";
  let stage = "receiving";
  const notify = () => {
    const seconds = (performance.now() - startedAt) / 1000;
    last = Math.round(1000 * Math.max(seconds, last + 0.001)) / 1000;
    // Sending fails when the caller has gone. The job continues.
    void send({ progress: last, message: `${job}${stage}, ${Math.floor(seconds)} s` }).catch(() => {});
  };
  const timer = setInterval(notify, intervalMs);
  notify();
  return {
    nameJob(jobId) {
      job = `job ${jobId}, `;
    },
    report(next) {
      stage = next === "queued" ? next : textOf(next);
      notify();
    },
    stop: () => clearInterval(timer),
  };
}

/** For callers that sent no progress token. */
export const noProgress: Progress = { nameJob() {}, report() {}, stop() {} };

function textOf({ stage, attempt }: JobProgress): string {
  return attempt === undefined || attempt === 1 ? stage : `${stage}, attempt ${attempt}`;
}
