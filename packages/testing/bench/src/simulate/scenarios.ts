import { quantile } from "./quantile.ts";
import { randomFrom } from "./random.ts";
import { cpuSecondsOf, type ServiceTimes } from "./service-times.ts";
import { type Simulated, simulate, type Traffic } from "./simulate.ts";
import { type Resource, resources, type Service } from "./stations.ts";
import { burstingTenant, jobsOf, meanProviderSeconds } from "./workload.ts";

/** Today's load: what the measured machine handles with 20 places and a provider that takes 5 to 60 s. */
export const today = { jobsPerSecond: 0.75, provider: { fastest: 5, slowest: 60 } } as const;
const tenants = 100_000;

/** A video of 20 MB that storage transfers three times: in, to its probe, and to the provider. */
export const traffic: Traffic = { videoBytes: 20e6, passes: 3 };

/** One server of each kind. The quotas of the provider are assumptions; docs/scale.md says so. */
const single = {
  places: 32,
  ...{ redis: 1, postgres: 1, storage: 1, providerProjects: 1 },
  ...{ postgresCores: 16, storageBytesPerSecond: 1.25e9, providerCopies: 1000, providerRequestsPerMinute: 2000 },
} as const;

/** One tenant sends as many jobs at once as there are places, up to this number. */
const mostAtOnce = 500;

/** The waits of jobs for a place, in seconds. */
type Waits = { p50: number; p90: number; p99: number };

/** One load on one service. */
export type ScenarioResult = {
  /** The multiple of today's load. */
  times: number;
  jobsPerSecond: number;
  service: Service;
  /** Jobs that arrived while the waits were measured, and how many of them were answered before the end. */
  came: number;
  answered: number;
  /** The same for the tenant that sent a burst. */
  burst: { came: number; answered: number };
  wait: Waits;
  /** Their waits. */
  burstWait: Waits;
  /**
   * The time that the service adds to the provider's, from the request to the answer, without the wait for a place; in
   * seconds.
   */
  added: Waits;
  use: Simulated["use"];
};

/** Returns the service for a load: enough APIs and workers, and one server of each other kind. */
export function serviceFor(times: ServiceTimes, jobsPerSecond: number): Service {
  const workers = Math.ceil((jobsPerSecond * secondsInPlace(times)) / single.places / 0.8);
  return {
    ...single,
    workers: Math.max(2, workers),
    apis: Math.max(1, Math.ceil(2 * jobsPerSecond * cpuSecondsOf(times, "api"))),
  };
}

/** Returns how long a job occupies its place, in seconds. */
export function secondsInPlace({ steps }: ServiceTimes): number {
  const { queue, obtaining, probing, uploading, analysing, settling } = steps;
  const own = [queue, obtaining, probing, uploading, analysing, settling].reduce(
    (sum, { seconds }) => sum + seconds,
    0,
  );
  return own + meanProviderSeconds(today.provider);
}

/** Adds servers of each kind until the load uses no more than 60 % of them. */
export function lifted(service: Service, use: Simulated["use"], limit: Record<Lifted, number>): Service {
  const needed = (of: Lifted) => Math.max(service[of], Math.ceil(limit[of] / 0.6));
  return {
    ...service,
    redis: needed("redis"),
    postgres: needed("postgres"),
    storage: needed("storage"),
    providerProjects: needed("providerProjects"),
    apis: Math.max(service.apis, Math.ceil((service.apis * use.api) / 0.6)),
  };
}

/** The kinds of servers that can be multiplied. */
export type Lifted = "redis" | "postgres" | "storage" | "providerProjects";

type Scenario = { times: ServiceTimes; service: Service; multiple: number; seed: number };

/** Simulates a multiple of today's load on a service. */
export function runScenario({ times, service, multiple, seed }: Scenario): ScenarioResult {
  const jobsPerSecond = today.jobsPerSecond * multiple;
  const warmUp = 120;
  const measured = Math.max(180, 20_000 / jobsPerSecond);
  const places = service.workers * service.places;
  const burst = { at: warmUp + measured / 3, jobs: Math.min(places, mostAtOnce) };
  const workload = { jobsPerSecond, seconds: warmUp + measured, tenants, provider: today.provider, burst };
  const coming = jobsOf(workload, randomFrom(seed));
  const end = warmUp + measured + 600;
  const { jobs, use } = simulate({ service, times, traffic, jobs: coming, end });
  const isCounted = ({ at, account }: { at: number; account: string }) => at >= warmUp && account !== burstingTenant;
  const counted = jobs.filter(isCounted);
  const burstJobs = jobs.filter(({ account }) => account === burstingTenant);
  const waitOf = (job: (typeof jobs)[number]) => job.startedAt - job.admittedAt;
  return {
    times: multiple,
    jobsPerSecond,
    service,
    came: coming.filter(isCounted).length,
    answered: counted.length,
    burst: { came: burst.jobs, answered: burstJobs.length },
    wait: waitsOf(counted.map(waitOf)),
    burstWait: waitsOf(burstJobs.map(waitOf)),
    added: waitsOf(counted.map((job) => job.answeredAt - job.at - job.providerSeconds - waitOf(job))),
    use,
  };
}

/** Returns the resource with the highest usage, except the places. */
export function busiest(use: Simulated["use"]): Resource {
  return resources.reduce((most, one) => (use[one] > use[most] ? one : most));
}

function waitsOf(seconds: number[]): Waits {
  const sorted = seconds.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9), p99: quantile(sorted, 0.99) };
}
