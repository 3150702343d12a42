import { askRedis } from "@video-to-json/testing/running";
import type { Fault } from "../fault.ts";
import { freeze, pause, processOf } from "./parts.ts";

const whole = { hits: "redis", measure: "queue", goalMs: 20_000 } as const;

/** Limits the memory of Redis to the needs of its empty process, so that it evicts or refuses. */
function small(kind: string, policy: string): Fault {
  return {
    kind,
    hits: "redis",
    lastsMs: [8000, 13_000],
    measure: "queue",
    goalMs: 35_000,
    async commit(place, choice) {
      const { redisUrl } = place.stack;
      await askRedis(redisUrl, `CONFIG SET maxmemory-policy ${policy} maxmemory 1mb`);
      try {
        await pause(place, choice);
      } finally {
        await askRedis(redisUrl, "CONFIG SET maxmemory-policy noeviction maxmemory 0");
      }
      return [];
    },
  };
}

/** Faults of Redis. */
export const redisFaults: readonly Fault[] = [
  {
    ...whole,
    kind: "Redis restarted",
    lastsMs: [0, 0],
    async commit({ stack }) {
      await stack.redis?.restart();
      return [];
    },
  },
  {
    ...whole,
    kind: "Redis killed",
    lastsMs: [0, 4000],
    async commit(place, choice) {
      await place.stack.redis?.kill();
      await pause(place, choice);
      await place.stack.redis?.restart();
      return [];
    },
  },
  {
    ...whole,
    kind: "Redis emptied",
    lastsMs: [0, 0],
    async commit({ stack }) {
      await askRedis(stack.redisUrl, "FLUSHALL");
      return [];
    },
  },
  {
    ...whole,
    kind: "Redis frozen",
    lastsMs: [9000, 13_000],
    async commit(place, choice) {
      await freeze(processOf(place.stack.redis), () => pause(place, choice));
      return [];
    },
  },
  {
    ...whole,
    kind: "Redis away",
    lastsMs: [35_000, 45_000],
    goalMs: 65_000,
    async commit(place, choice) {
      await place.stack.redis?.kill();
      await pause(place, choice);
      await place.stack.redis?.restart();
      return [];
    },
  },
  small("Redis evicts", "allkeys-lru"),
  small("Redis full", "noeviction"),
];
