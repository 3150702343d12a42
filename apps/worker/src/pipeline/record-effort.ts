import type { JobProgress } from "@video-to-json/contract";
import type { JobEffort } from "@video-to-json/database";
import type { KindPlaces } from "@video-to-json/runtime/timing";

type Effort = {
  progress(progress: JobProgress): void;
  addTokens(tokens: number, dollars: number): void;
  /** Returns places of the processor that count the time of this run in them. */
  counting(places: KindPlaces): KindPlaces;
  soFar(): JobEffort;
};

/** Records the effort of a run: its questions, tokens, the time in each stage and in places of the processor. */
export function recordEffort(): Effort {
  const stages: Record<string, number> = {};
  let [attempts, tokens, dollars, processorMs] = [0, 0, 0, 0];
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
    addTokens(more, price) {
      tokens += more;
      dollars += price;
    },
    counting: (places) => ({
      run: (account, signal, work) =>
        places.run(account, signal, async () => {
          const startedAt = performance.now();
          try {
            return await work();
          } finally {
            processorMs += performance.now() - startedAt;
          }
        }),
    }),
    soFar() {
      endStage();
      last &&= { ...last, at: performance.now() };
      return { attempts, tokens, dollars, processorMs, stages: { ...stages } };
    },
  };
}
