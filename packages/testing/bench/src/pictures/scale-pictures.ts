import { short } from "../report/figure-table.ts";
import type { ScaleData } from "../simulate/scale-data.ts";
import { today } from "../simulate/scenarios.ts";
import { type Bar, drawBarChart } from "./bar-chart.ts";

/** Returns the pictures of docs/scale.md by name. */
export function scalePictures({ limits, loads }: ScaleData): Record<string, string> {
  return {
    "scale-limits": drawBarChart({
      title: "At how many times today's load each limit is reached",
      subtitle: "One Redis, one PostgreSQL, one storage, one project of the provider. Logarithmic.",
      scale: { kind: "logarithmic", from: 1 },
      bars: limits.map(({ name, jobsPerSecond }, index) => ({
        label: name,
        segments: [{ value: jobsPerSecond / today.jobsPerSecond, color: index === 0 ? "bad" : "first" }],
        text: `${short(jobsPerSecond / today.jobsPerSecond)} ×`,
      })),
    }),
    "scale-waits": drawBarChart({
      title: "How long jobs wait for a place (p99)",
      subtitle: "100,000 tenants, as many servers as the load needs. Logarithmic, from 1 ms.",
      scale: { kind: "logarithmic", from: 0.001 },
      bars: loads.flatMap(({ lifted }): Bar[] => [
        waitBar(`${lifted.times.toLocaleString("en")} ×, all other tenants`, lifted.wait.p99, "first"),
        waitBar("the tenant that fills all places at once", lifted.burstWait.p99, "third"),
      ]),
    }),
  };
}

function waitBar(label: string, seconds: number, color: "first" | "third"): Bar {
  const text = seconds >= 1 ? `${short(seconds)} s` : `${Math.round(1000 * seconds)} ms`;
  return { label, segments: [{ value: seconds, color }], text };
}
