import type { JobProgress } from "@video-to-json/contract";

/** Tells the caller of a long call how it goes. */
export type Progress = {
  /** Tells of a new stage at once. */
  at(stage: JobProgress | "queued"): void;
  stop(): void;
};

const everyMs = 4000;

/**
 * Sends progress from now until `stop`: at every stage, and every four seconds in between, so that no client thinks the
 * call is dead. `progress` is the seconds so far, and rises with every message.
 */
export function reportProgress(send: (told: { progress: number; message: string }) => Promise<unknown>): Progress {
  const started = performance.now();
  let last = 0;
  let stage = "receiving";
  const tell = () => {
    const seconds = (performance.now() - started) / 1000;
    last = Math.max(Math.round(seconds * 1000) / 1000, last + 0.001);
    // A caller that is gone hears nothing more; its job goes on all the same.
    void send({ progress: last, message: `${stage}, ${Math.floor(seconds)} s` }).catch(() => {});
  };
  const timer = setInterval(tell, everyMs);
  tell();
  return {
    at(next) {
      stage = next === "queued" ? next : inWords(next);
      tell();
    },
    stop: () => clearInterval(timer),
  };
}

/** For callers who asked for none. */
export const silence: Progress = { at() {}, stop() {} };

function inWords({ stage, attempt }: JobProgress): string {
  return attempt === undefined || attempt === 1 ? stage : `${stage}, attempt ${attempt}`;
}
