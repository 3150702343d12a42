import type { Clock } from "./clock.ts";
import { type ServiceTimes, stationParts } from "./service-times.ts";
import { createStation, type Station } from "./station.ts";

/** The processes and the servers of a simulated service. */
export type Service = {
  apis: number;
  workers: number;
  /** How many jobs a worker runs at once. */
  places: number;
  /** How many servers of each kind share the work evenly: shards of Redis, machines of PostgreSQL, … */
  redis: number;
  postgres: number;
  storage: number;
  providerProjects: number;
  /** The capacity of one of them. */
  postgresCores: number;
  storageBytesPerSecond: number;
  /** How many copies of videos the provider keeps for one project, and how many questions it accepts. */
  providerCopies: number;
  providerRequestsPerMinute: number;
};

/**
 * The resources that jobs share: processors by part, the log of PostgreSQL, storage, and the quotas of the provider.
 */
export const resources = [...stationParts, "log", "storage", "copies", "requests"] as const;
export type Resource = (typeof resources)[number];

/** Creates the station of each resource. The work of the processes without jobs is in the background. */
export function createStations(clock: Clock, service: Service, times: ServiceTimes): Record<Resource, Station> {
  const { apis, workers, redis, postgres, storage, providerProjects } = service;
  const atRest = {
    redis: (times.atRest.redis * workers) / redis,
    postgres: (times.atRest.postgres * workers) / postgres,
  };
  const station = (servers: number, background = 0) => createStation(clock, { servers, background });
  return {
    api: station(apis),
    worker: station(workers),
    ffmpeg: station(workers),
    postgres: station(postgres * service.postgresCores, Math.min(0.99, atRest.postgres / service.postgresCores)),
    redis: station(redis, Math.min(0.99, atRest.redis)),
    log: station(postgres),
    storage: station(storage),
    copies: station(providerProjects * service.providerCopies),
    requests: station(providerProjects),
  };
}
