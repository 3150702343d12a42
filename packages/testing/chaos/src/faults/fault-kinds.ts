/** What is done to the service, by name; docs/reliability.md says how. */
export const faultKinds = [
  "worker killed",
  "API killed",
  "Redis restarted",
  "Redis killed",
  "Redis emptied",
  "Redis frozen",
  "Postgres restarted",
  "Postgres frozen",
  "worker frozen",
  "API frozen",
  "workers rolled",
  "APIs rolled",
  "analysis fails",
  "analysis hangs",
  "analysis lies",
  "analysis frozen",
] as const;

/** One kind of fault. */
export type FaultKind = (typeof faultKinds)[number];

/** The longest that a recovery may take, in milliseconds; kinds that are left out have no goal. */
export const recoveryGoals: Partial<Record<FaultKind, number>> = {
  "worker killed": 20_000,
  "API killed": 20_000,
  "Redis restarted": 20_000,
  "Redis killed": 20_000,
  "Redis emptied": 20_000,
  "Redis frozen": 20_000,
  "Postgres restarted": 10_000,
  "Postgres frozen": 20_000,
  "worker frozen": 20_000,
  "API frozen": 20_000,
  "workers rolled": 20_000,
  "APIs rolled": 20_000,
};
