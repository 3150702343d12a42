import type { Fault } from "../fault.ts";
import { pause } from "./parts.ts";

/** Holds a lock that a statement takes, for the duration of the fault, in a separate session. */
function locked(kind: string, lock: string, rest: Pick<Fault, "hits" | "lastsMs" | "measure" | "goalMs">): Fault {
  return {
    kind,
    ...rest,
    async commit(place, choice) {
      const locking = place.db.transaction(async (tx) => {
        await tx.execute("set local idle_in_transaction_session_timeout = 0");
        await tx.execute(lock.replace("$n", String(choice.target % 3)));
        await pause(place, choice);
      });
      // Another fault may end the server and thereby the lock.
      await locking.catch(() => place.signal.throwIfAborted());
      return [];
    },
  };
}

const row = { hits: "row", lastsMs: [15_000, 25_000], measure: "others", goalMs: 10_000 } as const;
const table = { hits: "postgres", measure: "all APIs", goalMs: 40_000 } as const;

/** Locks that an operator, a backup or a hanging process may hold. */
export const lockFaults: readonly Fault[] = [
  locked(
    "account locked",
    "select from accounts where id = (select account_id from jobs order by created_at desc offset $n limit 1) for update",
    row,
  ),
  locked(
    "job locked",
    "select from jobs where status = 'running' order by created_at desc offset $n limit 1 for update",
    row,
  ),
  locked("ledger locked", "lock table ledger in access exclusive mode", { ...table, lastsMs: [10_000, 20_000] }),
  locked("jobs locked", "lock table jobs in access exclusive mode", { ...table, lastsMs: [10_000, 20_000] }),
  locked("jobs read-only", "lock table jobs in share mode", { ...table, lastsMs: [15_000, 25_000], goalMs: 45_000 }),
];
