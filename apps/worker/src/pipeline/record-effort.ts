import type { JobProgress } from "@video-to-json/contract";
import type { JobEffort } from "@video-to-json/database";

/** Records the effort of a run: the number of its questions and the time in each stage. */
export function recordEffort(): { progress(progress: JobProgress): void; soFar(): JobEffort } {
  const stages: Record<string, number> = {};
  let attempts = 0;
  let last: { stage: string; at: number } | undefined;

  function endStage(): void {
    if (last) stages[last.stage] = Math.round((stages[last.stage] ?? 0) + performance.now() - last.at);
  }

  return {
    progress({ stage, attempt = 0 }) {
      endStage();
      attempts = Math.max(attempts, attempt);
      last = { stage, at: performance.now() };
    },
    soFar() {
      endStage();
      last &&= { ...last, at: performance.now() };
      return { attempts, stages: { ...stages } };
    },
  };
}
