import { short } from "../report/figure-table.ts";
import { allowedDifference } from "./check/compare.ts";
import type { ScaleData } from "./scale-data.ts";
import { busiest, type ScenarioResult, today } from "./scenarios.ts";
import type { Resource } from "./stations.ts";

/** The names of shared resources in tables. */
const resourceTitles: Record<Resource, string> = {
  api: "API processes",
  worker: "worker processes",
  ffmpeg: "processors of the workers",
  postgres: "processors of PostgreSQL",
  redis: "Redis",
  log: "commits of PostgreSQL",
  storage: "bandwidth of storage",
  copies: "copies at the provider",
  requests: "questions to the provider",
};

/** Returns the tables of docs/scale.md by the name of their block, as lines of Markdown. */
export function scaleBlocks(data: ScaleData): Record<"loads" | "limits" | "lifted" | "check", string[]> {
  return {
    loads: table(
      [
        "load",
        "jobs a second",
        "workers, APIs",
        "answered",
        "wait p50, p99",
        "burst: answered, p99",
        "places in use",
        "busiest of the rest",
      ],
      data.loads.map(({ single }) => loadRow(single)),
    ),
    lifted: table(
      [
        "load",
        "Redis, PostgreSQL, storage, projects",
        "answered",
        "wait p50, p99",
        "burst: answered, p99",
        "service adds p50, p99",
        "places in use",
        "busiest of the rest",
      ],
      data.loads.map(({ lifted }) => liftedRow(lifted)),
    ),
    limits: table(
      ["limit of one", "jobs a second", "times today", "from", "what lifts it", "cost in code"],
      data.limits.map(({ name, jobsPerSecond, from, change, cost }) => [
        name,
        short(jobsPerSecond),
        `${short(jobsPerSecond / today.jobsPerSecond)} ×`,
        from,
        change,
        cost,
      ]),
    ),
    check: checkBlock(data),
  };
}

function loadRow(result: ScenarioResult): string[] {
  const { times, jobsPerSecond, service, wait, burstWait, use } = result;
  const first = busiest(use);
  return [
    `${times.toLocaleString("en")} ×`,
    short(jobsPerSecond),
    `${service.workers.toLocaleString("en")}, ${service.apis.toLocaleString("en")}`,
    share(result),
    `${seconds(wait.p50)}, ${seconds(wait.p99)}`,
    `${share(result.burst)}, ${seconds(burstWait.p99)}`,
    `${Math.round(100 * use.places)} %`,
    `${resourceTitles[first]}, ${Math.round(100 * use[first])} %`,
  ];
}

function liftedRow(result: ScenarioResult): string[] {
  const { times, service, wait, burstWait, added, use } = result;
  const first = busiest(use);
  return [
    `${times.toLocaleString("en")} ×`,
    [service.redis, service.postgres, service.storage, service.providerProjects].join(", "),
    share(result),
    `${seconds(wait.p50)}, ${seconds(wait.p99)}`,
    `${share(result.burst)}, ${seconds(burstWait.p99)}`,
    `${seconds(added.p50)}, ${seconds(added.p99)}`,
    `${Math.round(100 * use.places)} %`,
    `${resourceTitles[first]}, ${Math.round(100 * use[first])} %`,
  ];
}

function checkBlock({ check }: ScaleData): string[] {
  if (!check) return ["Not compared yet: `./scripts/bench check --save`."];
  const { ranAt, jobs, places, tenants, rows, good } = check;
  const percent = (share: number) => `${share >= 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(1)} %`;
  return [
    ...table(
      ["", "measured", "simulated", "difference"],
      rows.map((row) => [row.what, short(row.measured), short(row.simulated), percent(row.difference)]),
    ),
    "",
    `*${ranAt.slice(0, 10)}, ${jobs} jobs of ${tenants} tenants, ${places} places. Times in seconds. The simulation ${good ? "agrees" : "does not agree"} within ${100 * allowedDifference} %.*`,
  ];
}

function share({ answered, came }: { answered: number; came: number }): string {
  return `${Math.floor((1000 * answered) / Math.max(1, came)) / 10} %`;
}

function seconds(value: number): string {
  if (!Number.isFinite(value)) return "never";
  if (value < 0.0005) return "0 s";
  return value < 1 ? `${Math.round(1000 * value)} ms` : `${short(value)} s`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}
