import type { StackPart } from "@video-to-json/stack";
import { wrongByMs } from "../../clocks/open-clocks.ts";
import type { Fault, HitPart, Measure } from "../fault.ts";
import { allOf, end, freeze, hitOf, oneOf, pause, restart } from "./parts.ts";

const goalMs = 20_000;

function killed(app: StackPart["app"], name: string, measure: Measure): Fault {
  return {
    kind: `${name} killed`,
    hits: app,
    lastsMs: [0, 4000],
    measure,
    goalMs,
    // A process that dies at any moment is the most important fault.
    isFrequent: true,
    async commit(place, choice) {
      const ended = oneOf(place, app, choice);
      const hit = ended.map(hitOf);
      for (const part of ended) await end(place, part, "SIGKILL");
      await pause(place, choice);
      for (const part of ended) await restart(place, part);
      return hit;
    },
  };
}

function rolled(app: StackPart["app"], name: string, measure: Measure): Fault {
  return {
    kind: `${name}s rolled`,
    hits: app,
    lastsMs: [0, 0],
    measure,
    goalMs,
    async commit(place) {
      const hit: HitPart[] = [];
      for (const part of allOf(place, app)) {
        hit.push(hitOf(part));
        await end(place, part, "SIGTERM");
        await restart(place, part);
      }
      return hit;
    },
  };
}

function frozen(app: StackPart["app"], name: string, measure: Measure): Fault {
  return {
    kind: `${name} frozen`,
    hits: app,
    // A worker's lock lasts 8 s.
    lastsMs: [9000, 13_000],
    measure,
    goalMs,
    async commit(place, choice) {
      const parts = oneOf(place, app, choice);
      const hit = parts.map(hitOf);
      await freeze(parts, () => pause(place, choice));
      return hit;
    },
  };
}

function clockWrong(app: StackPart["app"], name: string): Fault {
  return {
    kind: `${name} clock wrong`,
    hits: app,
    lastsMs: [9000, 13_000],
    measure: "work",
    goalMs,
    async commit(place, choice) {
      const parts = oneOf(place, app, choice);
      const hit = parts.map(hitOf);
      const byMs = choice.seed % 2 === 0 ? wrongByMs : -wrongByMs;
      try {
        for (const part of parts) place.clocks.shift(part.name, byMs);
        await pause(place, choice);
      } finally {
        for (const part of parts) place.clocks.shift(part.name, 0);
      }
      return hit;
    },
  };
}

/** Faults of APIs and workers. */
export const partFaults: readonly Fault[] = [
  killed("worker", "worker", "claims"),
  killed("api", "API", "other API"),
  frozen("worker", "worker", "claims"),
  frozen("api", "API", "other API"),
  rolled("worker", "worker", "claims"),
  rolled("api", "API", "other API"),
  clockWrong("worker", "worker"),
  clockWrong("api", "API"),
];
