import type { Phase } from "../stages/meter.ts";
import { createClock } from "./clock.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type ServiceTimes, stationParts } from "./service-times.ts";
import type { Station } from "./station.ts";
import { createStations, type Resource, resources, type Service } from "./stations.ts";
import type { ComingJob } from "./workload.ts";

/**
 * The size of a video in bytes, and how often storage transfers it for a job: once in, and once for each read of a
 * worker.
 */
export type Traffic = { videoBytes: number; passes: number };

/** The course of one job. Times are in seconds since the start. */
type SimulatedJob = ComingJob & { admittedAt: number; startedAt: number; answeredAt: number };

/** The result of a simulation: the answered jobs, and the used share of each resource until the last job arrived. */
export type Simulated = { jobs: SimulatedJob[]; use: Record<Resource | "places", number> };

type Simulation = {
  service: Service;
  times: ServiceTimes;
  traffic: Traffic;
  /** In the order of arrival. */
  jobs: readonly ComingJob[];
  /** When the simulation ends, in seconds. Jobs that have not been answered by then are left out. */
  end: number;
};

/** A job that has not started by then has failed: the default of JOB_TIMEOUT_SECONDS. */
const deadlineSeconds = 480;

/**
 * Runs jobs through a simulated service. Each step of a job takes its measured time. The parts of it that processes and
 * servers compute run one after the other there, so a step takes longer while others wait.
 */
export function simulate({ service, times, traffic, jobs, end }: Simulation): Simulated {
  const clock = createClock();
  const stations = createStations(clock, service, times);
  const places = service.workers * service.places;
  const queue = createFairQueue<SimulatedJob>({ places });
  const answered: SimulatedJob[] = [];
  let free = places;
  let placeSeconds = 0;
  let asked = 0;
  let countedUntil = 0;

  /** Runs a step: first all stations that compute for it, then the rest of its time. */
  function pass(step: Phase, done: () => void): void {
    const { seconds, cpuSeconds, flushes } = times.steps[step];
    const visits: [Station, number][] = stationParts.map((part) => [stations[part], cpuSeconds[part]]);
    visits.push([stations.log, flushes / times.commitsPerSecond]);
    const computed = visits.reduce((sum, [, each]) => sum + each, 0);
    visitAll(
      visits.filter(([, each]) => each > 0),
      () => clock.after(seconds - computed, done),
    );
  }

  function visitAll(visits: readonly [Station, number][], done: () => void, next = 0): void {
    const visit = visits[next];
    if (visit) visit[0].serve(visit[1], () => visitAll(visits, done, next + 1));
    else done();
  }

  function moveVideo(passes: number, done: () => void): void {
    stations.storage.serve((passes * traffic.videoBytes) / service.storageBytesPerSecond, done);
  }

  function countPlaces(change: number): void {
    placeSeconds += (places - free) * (clock.now() - countedUntil);
    countedUntil = clock.now();
    free += change;
  }

  function startJobs(): void {
    while (free > 0) {
      const job = queue.start(clock.now());
      if (!job) return;
      if (clock.now() - job.admittedAt > deadlineSeconds) {
        // The job has failed at its deadline.
        queue.end(job.account);
        continue;
      }
      countPlaces(-1);
      job.startedAt = clock.now();
      run(job);
    }
  }

  function run(job: SimulatedJob): void {
    const settle = () =>
      pass("settling", () => {
        job.answeredAt = clock.now();
        answered.push(job);
        queue.end(job.account);
        countPlaces(1);
        startJobs();
        pass("afterwards", () => {});
      });
    const ask = (release: () => void) => {
      // As in a measured run: the n-th question takes the time of the n-th job.
      job.providerSeconds = jobs[asked++]?.providerSeconds ?? job.providerSeconds;
      stations.requests.serve(60 / service.providerRequestsPerMinute, () =>
        clock.after(job.providerSeconds, () =>
          pass("analysing", () => {
            release();
            settle();
          }),
        ),
      );
    };
    const send = () => stations.copies.acquire((release) => pass("uploading", () => ask(release)));
    pass("queue", () => pass("obtaining", () => moveVideo(traffic.passes - 1, () => pass("probing", send))));
  }

  const last = jobs.at(-1)?.at ?? 0;
  // Each job plans the next one, so that the clock holds only one.
  const come = (index: number) => {
    const coming = jobs[index];
    if (!coming) return;
    clock.after(coming.at - clock.now(), () => {
      const job = { ...coming, admittedAt: 0, startedAt: 0, answeredAt: 0 };
      moveVideo(1, () =>
        pass("admission", () => {
          job.admittedAt = clock.now();
          queue.add(job.account, job);
          startJobs();
        }),
      );
      come(index + 1);
    });
  };
  come(0);
  clock.run(last);
  countPlaces(0);
  const use = Object.fromEntries(resources.map((resource) => [resource, stations[resource].use()]));
  const ofPlaces = last > 0 ? placeSeconds / places / last : 0;
  clock.run(end);
  return { jobs: answered, use: { ...use, places: ofPlaces } as Simulated["use"] };
}
