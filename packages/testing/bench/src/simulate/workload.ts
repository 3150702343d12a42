import type { Random } from "./random.ts";

/** A job that arrives at a time in seconds. The provider takes `providerSeconds` for its answer. */
export type ComingJob = { at: number; account: string; providerSeconds: number };

/** The load of the tenants, and the times of the provider. */
export type Workload = {
  jobsPerSecond: number;
  seconds: number;
  tenants: number;
  /** The times of the provider are uniform on a logarithmic scale. */
  provider: { fastest: number; slowest: number };
  /** A burst of one tenant: so many jobs at once, at a time. */
  burst?: { at: number; jobs: number };
};

/** The account that sends the burst. */
export const burstingTenant = "burst";

/** The mean size of the groups in which a tenant sends its jobs. */
const groupSize = 2;
/** The tenant with the number n sends in proportion to n to this power: a few send much, most send little. */
const skew = -0.8;

/** Returns the jobs of a workload, in the order in which they come. */
export function jobsOf({ jobsPerSecond, seconds, tenants, provider, burst }: Workload, random: Random): ComingJob[] {
  const tenantOf = tenantChooser(tenants, random);
  const newJob = (at: number, account: string): ComingJob => ({
    at,
    account,
    providerSeconds: random.logarithmic(provider.fastest, provider.slowest),
  });
  const jobs: ComingJob[] = [];
  let hasBurst = false;
  for (
    let at = random.untilNext(jobsPerSecond / groupSize);
    at < seconds;
    at += random.untilNext(jobsPerSecond / groupSize)
  ) {
    if (burst && !hasBurst && at >= burst.at) {
      hasBurst = true;
      for (let sent = 0; sent < burst.jobs; sent++) jobs.push(newJob(burst.at, burstingTenant));
    }
    const account = tenantOf();
    do jobs.push(newJob(at, account));
    while (random.next() > 1 / groupSize);
  }
  return jobs;
}

/** Returns the mean time of the provider in seconds. */
export function meanProviderSeconds({ fastest, slowest }: Workload["provider"]): number {
  return fastest === slowest ? fastest : (slowest - fastest) / Math.log(slowest / fastest);
}

function tenantChooser(tenants: number, random: Random): () => string {
  const sums = new Float64Array(tenants);
  let sum = 0;
  for (let tenant = 0; tenant < tenants; tenant++) {
    sum += (tenant + 1) ** skew;
    sums[tenant] = sum;
  }
  return () => {
    const wanted = random.next() * sum;
    let low = 0;
    let high = tenants - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? sum) < wanted) low = middle + 1;
      else high = middle;
    }
    return `tenant ${low}`;
  };
}
