import type { JobProgress } from "@video-to-json/contract";
import type { JobEffort } from "@video-to-json/database";

type Effort = { progress(progress: JobProgress): void; addTokens(tokens: number): void; soFar(): JobEffort };

/** Records the effort of a run: the number of its questions and the time in each stage. */
export function recordEffort(): Effort {
  const stages: Record<string, number> = {};
  let [attempts, tokens] = [0, 0];
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
    addTokens(more) {
      tokens += more;
    },
    soFar() {
      endStage();
      last &&= { ...last, at: performance.now() };
      return { attempts, tokens, stages: { ...stages } };
    },
  };
}
