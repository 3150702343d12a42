import { processTree } from "../../process-tree.ts";
import type { Fault, FaultPlace } from "../fault.ts";
import { continueOnExit } from "./continue-on-exit.ts";
import { freeze, pause, processOf } from "./parts.ts";

const answers = { hits: "postgres", measure: "all APIs" } as const;

/** Stops Postgres in immediate mode, without a checkpoint. It recovers from its log when it starts. */
async function endAtOnce(postgres: FaultPlace["stack"]["postgres"]): Promise<void> {
  if (!postgres) return;
  if (postgres.container) await postgres.kill();
  else process.kill(postgres.pid, "SIGQUIT");
}

/** Faults of PostgreSQL. */
export const postgresFaults: readonly Fault[] = [
  {
    ...answers,
    kind: "Postgres restarted",
    lastsMs: [0, 0],
    goalMs: 10_000,
    async commit({ stack }) {
      await endAtOnce(stack.postgres);
      await stack.postgres?.restart();
      return [];
    },
  },
  {
    ...answers,
    kind: "Postgres frozen",
    lastsMs: [9000, 13_000],
    goalMs: 20_000,
    async commit(place, choice) {
      // A stopped server starts no more processes, so its children are complete now.
      const server = processOf(place.stack.postgres);
      await freeze(server, async () => {
        const children = await processTree(server.map(({ pid }) => pid));
        const continueAll = continueOnExit(children);
        const frozen = children.flatMap((pid) => processOf({ pid }));
        await freeze(frozen, () => pause(place, choice)).finally(continueAll);
      });
      return [];
    },
  },
  {
    ...answers,
    kind: "Postgres away",
    lastsMs: [35_000, 45_000],
    goalMs: 65_000,
    async commit(place, choice) {
      await endAtOnce(place.stack.postgres);
      await pause(place, choice);
      await place.stack.postgres?.restart();
      return [];
    },
  },
];
