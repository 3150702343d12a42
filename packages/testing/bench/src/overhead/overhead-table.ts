import { textTable } from "@video-to-json/testing/running";
import { cpuSecondsOf, goalsOf, throughputRatio, timeRatio } from "./goals.ts";
import { type Level, type OverheadResult, serviceParts } from "./measure-overhead.ts";

/** Returns the figures as tables: times and throughput, processor time by process, and the goals. */
export function overheadTable(result: OverheadResult): string {
  const { cores, workers, ffprobe, clipBytes, latencyMs, atRest, levels } = result;
  const build = ffprobe.isMinimal ? "minimal build" : "the machine's own";
  const head = [
    `${cores} cores, 1 API, ${workers} ${workers === 1 ? "worker" : "workers"}, ffmpeg ${ffprobe.version} (${build}),`,
    `a clip of ${(clipBytes / 1e6).toFixed(2)} MB, a provider that takes ${latencyMs / 1000} s`,
  ];
  const columns = levels.map(({ inFlight, jobs }) => `${inFlight} in flight (${jobs} jobs)`);
  const row = (title: string, cell: (level: Level) => string) => [title, ...levels.map(cell)];
  const ms = (value: number) => `${(value / 1000).toFixed(2)} s`;
  const times = [
    ["", ...columns],
    row("p50, bare script", ({ bare }) => ms(bare.p50)),
    row("p50, service", (level) => `${ms(level.service.p50)}  × ${timeRatio(level).toFixed(2)}`),
    row("p99, bare script", ({ bare }) => ms(bare.p99)),
    row("p99, service", ({ service }) => ms(service.p99)),
    row("jobs a second, bare script", ({ bare }) => bare.jobsPerSecond.toFixed(2)),
    row(
      "jobs a second, service",
      (level) => `${level.service.jobsPerSecond.toFixed(2)}  × ${throughputRatio(level).toFixed(2)}`,
    ),
  ];
  const seconds = (value: number) => value.toFixed(3);
  const processorTimes = [
    ["CPU seconds a job", ...columns],
    ...serviceParts.map((part) => row(titles[part], ({ service }) => seconds(service.cpuSeconds[part]))),
    row("all processes of the service", ({ service }) => seconds(cpuSecondsOf(service.cpuSeconds))),
    row("beside the service: its caller", ({ service }) => seconds(service.cpuSeconds.client)),
    row("beside the service: emulator", ({ service }) => seconds(service.cpuSeconds.emulator)),
    row("bare script", ({ bare }) => seconds(bare.cpuSeconds.script)),
    row("its ffprobe", ({ bare }) => seconds(bare.cpuSeconds.ffprobe)),
    row("beside the script: emulator", ({ bare }) => seconds(bare.cpuSeconds.emulator)),
  ];
  const rest = serviceParts.map((part) => `${titles[part]} ${seconds(atRest[part])}`).join(", ");
  const goals = goalsOf(result).map(({ goal, measured, met }) => [met ? "met" : "MISSED", goal, measured.toFixed(3)]);
  return [
    ...head,
    "",
    ...textTable(times),
    "",
    ...textTable(processorTimes),
    `CPU seconds a second without a job: ${rest}`,
    "",
    ...textTable(goals),
  ].join("\n");
}

const titles = {
  api: "API",
  worker: "worker",
  ffmpeg: "ffmpeg and ffprobe of the worker",
  postgres: "Postgres",
  redis: "Redis",
} as const satisfies Record<(typeof serviceParts)[number], string>;
