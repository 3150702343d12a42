import { type Lifted, lifted, runScenario, type ScenarioResult, serviceFor, today, traffic } from "./scenarios.ts";
import { cpuSecondsOf, type ServiceTimes } from "./service-times.ts";
import { meanProviderSeconds } from "./workload.ts";

type Loads = { times: ServiceTimes; seed: number; multiples: readonly number[]; tell(line: string): void };

/** Simulates each multiple of today's load, with one server of each kind and with as many as it needs. */
export function simulateLoads({
  times,
  seed,
  multiples,
  tell,
}: Loads): { single: ScenarioResult; lifted: ScenarioResult }[] {
  return multiples.map((multiple) => {
    const jobsPerSecond = today.jobsPerSecond * multiple;
    const service = serviceFor(times, jobsPerSecond);
    tell(`Simulating ${multiple} × the load of today: ${jobsPerSecond} jobs a second, ${service.workers} workers …`);
    const single = runScenario({ times, service, multiple, seed });
    const more = lifted(service, single.use, needs(times, service, jobsPerSecond));
    tell("  … and the same with as many servers as it needs");
    return { single, lifted: runScenario({ times, service: more, multiple, seed }) };
  });
}

/** Returns how many servers of each kind a load would keep fully busy. */
function needs(
  times: ServiceTimes,
  service: ReturnType<typeof serviceFor>,
  jobsPerSecond: number,
): Record<Lifted, number> {
  const computed = (part: "redis" | "postgres") =>
    jobsPerSecond * cpuSecondsOf(times, part) + times.atRest[part] * service.workers;
  const flushes = Object.values(times.steps).reduce((sum, step) => sum + step.flushes, 0);
  const atProvider =
    meanProviderSeconds(today.provider) + times.steps.uploading.seconds + times.steps.analysing.seconds;
  return {
    redis: computed("redis"),
    postgres: Math.max(
      computed("postgres") / service.postgresCores,
      (jobsPerSecond * flushes) / times.commitsPerSecond,
    ),
    storage: (jobsPerSecond * traffic.passes * traffic.videoBytes) / service.storageBytesPerSecond,
    providerProjects: Math.max(
      (jobsPerSecond * atProvider) / service.providerCopies,
      (60 * jobsPerSecond) / service.providerRequestsPerMinute,
    ),
  };
}
