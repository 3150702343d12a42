import { setTimeout as sleep } from "node:timers/promises";
import type { Dependency, Link } from "../../network/open-network.ts";
import type { Direction } from "../../network/proxy.ts";
import type { Choice, Fault, FaultPlace } from "../fault.ts";
import { hitOf, pause } from "./parts.ts";

const directions: readonly Direction[] = ["both", "to-client", "to-server"];
const names = { postgres: "Postgres", redis: "Redis", provider: "provider", storage: "S3" } as const;

/** Drops all bytes between a server and one process, or all processes. Its connections stay silent for ever. */
function silent(to: Dependency, rest: Pick<Fault, "measure" | "goalMs" | "lingersMs" | "needs">): Fault {
  return {
    kind: `${names[to]} silent`,
    hits: to,
    lastsMs: [10_000, 20_000],
    ...rest,
    async commit(place, choice) {
      const hit = choice.seed % 2 === 0 ? linksTo(place, to) : oneLink(place, to, choice);
      const direction = directions[choice.seed % 3] ?? "both";
      const ends = hit.map((link) => link.silence(direction));
      try {
        await pause(place, choice);
      } finally {
        for (const speak of ends) speak();
      }
      return [];
    },
  };
}

function linksTo({ network }: FaultPlace, to: Dependency): Link[] {
  return network.links.filter((link) => link.to === to);
}

function oneLink(place: FaultPlace, to: Dependency, { target }: Choice): Link[] {
  return linksTo(place, to).filter((_, index, { length }) => index === target % length);
}

const commitMs = 5000;
// A connection to PostgreSQL is replaced when it waits longer for an answer (packages/database,
// replaceDeadConnections).
const lingersMs = 10_000;
// A socket to Redis is replaced when it is silent for longer (packages/queue, openRedisConnection).
const redisLingersMs = 10_000;

/** Faults of the network between the processes and their servers. */
export const networkFaults: readonly Fault[] = [
  silent("postgres", { measure: "all APIs", goalMs: 40_000, lingersMs }),
  silent("redis", { measure: "queue", goalMs: 40_000, lingersMs: redisLingersMs }),
  silent("provider", {}),
  silent("storage", { measure: "work", goalMs: 30_000, needs: "s3" }),
  {
    kind: "COMMIT reply lost",
    hits: "commit",
    lastsMs: [0, 0],
    measure: "work",
    goalMs: 20_000,
    async commit(place, choice) {
      const [link] = oneLink(place, "postgres", choice);
      link?.loseCommitReply();
      for (let waited = 0; link?.awaitsCommit() && waited < commitMs; waited += 100) {
        await sleep(100, undefined, { signal: place.signal });
      }
      return [];
    },
  },
  {
    kind: "connections forgotten",
    hits: "connections",
    lastsMs: [0, 0],
    measure: "work",
    goalMs: 20_000,
    lingersMs,
    async commit({ stack, network }, { target }) {
      const part = stack.parts[target % stack.parts.length];
      if (!part) return [];
      const hit = hitOf(part);
      for (const link of network.links) if (link.part === part.name) link.forget();
      return [hit];
    },
  },
];
