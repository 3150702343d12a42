/** The kinds of faults. docs/reliability.md describes each. */
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
  "provider fails",
  "provider hangs",
  "provider lies",
  "provider frozen",
] as const;

/** One kind of fault. */
export type FaultKind = (typeof faultKinds)[number];

/** The time limit for a recovery, in milliseconds. The other kinds have no limit. */
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
