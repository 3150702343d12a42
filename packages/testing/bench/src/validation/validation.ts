import type { Benchmark, Run } from "../benchmark.ts";
import { summary } from "../latencies.ts";
import { median } from "../median.ts";
import { forkScript } from "../processes/fork-script.ts";
import type { Measurement } from "../report/figure.ts";
import type { CheckResult, CheckTask } from "./check-answers.ts";
import { answerText, schemaText } from "./question.ts";

/** Validating an answer in the sandbox of a worker, compared with a bare ajv. */
export const validation: Benchmark = {
  name: "validation",
  title: "Validation",
  how: "an answer of 10 KB against a schema of 3 KB in the warm sandbox of a worker, beside a compiled ajv in the same thread",
  measure: measureValidation,
};

const goals = { p50Ms: 10, blockedMs: 10 } as const;
const rounds = 5;

async function measureValidation({ quick, tell }: Run): Promise<Measurement> {
  const times = quick ? 20 : 200;
  const task = { schemaText, answerText };
  const script = forkScript<CheckTask, CheckResult>(new URL("./check-answers.ts", import.meta.url));
  const results: Record<CheckTask["what"], CheckResult[]> = { check: [], pause: [], bare: [] };
  try {
    tell(`Validating ${rounds} × ${times} answers …`);
    for (const what of ["check", "bare"] as const) await script.run({ what, times, ...task });
    for (let round = 0; round < rounds; round++) {
      for (const what of ["pause", "check", "bare"] as const) {
        results[what].push(await script.run({ what, times, ...task }));
      }
    }
  } finally {
    script.stop();
  }
  const p = (what: CheckTask["what"], part: "p50" | "p99") =>
    median(results[what].map(({ times }) => summary(times)[part]));
  const longest = (what: CheckTask["what"], by: "longestMs" | "longestCpuMs") =>
    median(results[what].map((one) => one[by]));
  return {
    figures: [
      {
        what: "p50",
        unit: "ms",
        measured: p("check", "p50"),
        beside: { what: "bare ajv", measured: p("bare", "p50") },
        goal: { of: "measured", most: goals.p50Ms },
      },
      {
        what: "p99",
        unit: "ms",
        measured: p("check", "p99"),
        beside: { what: "bare ajv", measured: p("bare", "p99") },
      },
      {
        what: "longest turn of the event loop, processor time",
        unit: "ms",
        measured: longest("check", "longestCpuMs"),
        beside: { what: "without work", measured: longest("pause", "longestCpuMs") },
        goal: { of: "measured", most: goals.blockedMs },
      },
      {
        what: "longest turn of the event loop, by the clock",
        unit: "ms",
        measured: longest("check", "longestMs"),
        beside: { what: "without work", measured: longest("pause", "longestMs") },
        goal: { of: "measured", most: goals.blockedMs },
      },
    ],
    conditions: [
      `schema of ${schemaText.length} bytes, answer of ${answerText.length} bytes`,
      `median of ${rounds} turns of ${times} answers`,
    ],
  };
}
