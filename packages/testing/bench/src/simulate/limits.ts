import { cpuSecondsOf, type ServiceTimes } from "./service-times.ts";
import type { Traffic } from "./simulate.ts";
import type { Service } from "./stations.ts";

/** A limit of the service that more processes do not lift. */
export type Limit = {
  name: string;
  /** The jobs per second at which it is reached. */
  jobsPerSecond: number;
  /** How the figure is derived, in words. */
  from: string;
  /** What raises it, with existing products. */
  change: string;
  /** The necessary changes of the code. */
  cost: string;
};

/** The number of connections of a PostgreSQL server above which more connections slow it down. */
const connectionsOfPostgres = 500;
const poolSize = 10;

type Given = {
  service: Service;
  times: ServiceTimes;
  traffic: Traffic;
  secondsInPlace: number;
  secondsAtProvider: number;
};

/**
 * Returns the limits of one Redis, one PostgreSQL, one storage and one project of the provider, lowest first. The
 * number of workers and APIs grows with the load, and their usage without jobs counts.
 */
export function limitsOf({ service, times, traffic, secondsInPlace, secondsAtProvider }: Given): Limit[] {
  const workersPerJobsPerSecond = secondsInPlace / service.places / 0.8;
  const apisPerJobsPerSecond = 2 * cpuSecondsOf(times, "api");
  const perJob = (part: "redis" | "postgres") =>
    cpuSecondsOf(times, part) + times.atRest[part] * workersPerJobsPerSecond;
  const flushes = Object.values(times.steps).reduce((sum, step) => sum + step.flushes, 0);
  const ms = (seconds: number) => `${(1000 * seconds).toFixed(1)} ms`;
  const limits: Limit[] = [
    {
      name: "commands of one Redis",
      jobsPerSecond: 1 / perJob("redis"),
      from: `${ms(perJob("redis"))} of its one thread a job, ${Math.round(times.redisCommandsAJob)} commands`,
      change: "Redis Cluster, and a queue for each shard, chosen by the hash of the account",
      cost: "packages/queue: one prefix `{shard}` for each queue, a worker that takes tickets of several queues, and permits that name their shard. About 300 lines. The fair order is in PostgreSQL and stays.",
    },
    {
      name: `processors of one PostgreSQL (${service.postgresCores})`,
      jobsPerSecond: service.postgresCores / perJob("postgres"),
      from: `${ms(perJob("postgres"))} of a processor a job`,
      change:
        "a larger machine first; read replicas for lists and old jobs; then one PostgreSQL for each shard of accounts",
      cost: "Replicas: a second pool for the four reading routes, about 60 lines. Shards: `openDatabase` by account in API and worker, and maintenance for each shard. About 400 lines. No transaction spans two accounts.",
    },
    {
      name: "commits of one PostgreSQL",
      jobsPerSecond: times.commitsPerSecond / flushes,
      from: `${flushes.toFixed(1)} flushes a job, ${Math.round(times.commitsPerSecond).toLocaleString("en")} commits a second on this disk`,
      change:
        "a disk with a protected cache; `synchronous_commit = off` for the clean-up and the duration, which a sweep repeats; then shards of accounts",
      cost: "Settings of the server: none. The two statements: 10 lines. Job tables in partitions by month keep vacuum and erasure short: the month goes into the job's id (UUIDv7), one migration and about 150 lines.",
    },
    {
      name: `connections of one PostgreSQL (${connectionsOfPostgres})`,
      jobsPerSecond: connectionsOfPostgres / poolSize / (workersPerJobsPerSecond + apisPerJobsPerSecond),
      from: `${poolSize} for each API and worker`,
      change: "smaller pools (`DATABASE_CONNECTIONS=3`), then PgBouncer",
      cost: "Smaller pools: none. PgBouncer in transaction mode: time limits and isolation move from the connection into each transaction, and `migrate` goes to the server itself. About 80 lines in packages/database.",
    },
    {
      name: `bandwidth of one storage (${service.storageBytesPerSecond / 1e6} MB/s)`,
      jobsPerSecond: service.storageBytesPerSecond / (traffic.passes * traffic.videoBytes),
      from: `${traffic.passes} passes of ${traffic.videoBytes / 1e6} MB a job`,
      change: "S3 instead of a shared directory",
      cost: "none: `STORAGE_URL=s3://…`. A worker that probes while it downloads saves one pass: about 100 lines.",
    },
    {
      name: `copies at the provider, one project (${service.providerCopies.toLocaleString("en")})`,
      jobsPerSecond: service.providerCopies / secondsAtProvider,
      from: `20 GB of files a project, ${traffic.videoBytes / 1e6} MB each, ${secondsAtProvider.toFixed(0)} s a copy`,
      change: "several projects of the provider",
      cost: "A list of keys, a project chosen by the hash of the job and stored with it, permits and sweeps for each project. About 200 lines in packages/analysis and apps/worker.",
    },
    {
      name: `questions to one project (${service.providerRequestsPerMinute.toLocaleString("en")} a minute)`,
      jobsPerSecond: service.providerRequestsPerMinute / 60,
      from: "one question a job",
      change: "a higher quota, then several projects",
      cost: "as above",
    },
  ];
  return limits.toSorted((a, b) => a.jobsPerSecond - b.jobsPerSecond);
}
