import { setTimeout as sleep } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import { type Attempt, type Call, type Drop, isToRepeat, successOf } from "./call.ts";
import { send } from "./send.ts";

type World = {
  apiUrls: readonly string[];
  filesUrl: string;
  /** Longest that an answer may take. */
  patienceMs: number;
  /** Nothing is sent once it aborts. */
  signal: AbortSignal;
  /** Nothing is repeated once it aborts. */
  stopping: AbortSignal;
};

const mostAttempts = 5;
const mostRefusals = 120;

/**
 * Makes a call as a careful client does: where nobody listens it asks the other API, and what broke or failed on the
 * service's side it repeats if it sent an Idempotency-Key; without one it does not, and so never pays twice.
 */
export async function makeCall(world: World, call: Call, chance: Chance, firstDrop: Drop): Promise<void> {
  let drop = firstDrop;
  let api = chance.between(0, world.apiUrls.length - 1);
  for (let refusals = 0; refusals < mostRefusals && !world.signal.aborted; ) {
    const apiUrl = world.apiUrls[api % world.apiUrls.length] ?? "";
    const startedAt = Date.now();
    const pauseMs = drop === "mid-wait" ? chance.between(50, 3000) : chance.between(0, 400);
    const { filesUrl, patienceMs } = world;
    const outcome = await send(call, { apiUrl, filesUrl, drop, pauseMs, patienceMs });
    api++;
    if (outcome.is === "refused") {
      refusals++;
      await sleep(250);
      continue;
    }
    const attempt = { apiUrl, startedAt, endedAt: Date.now(), outcome };
    call.attempts.push(attempt);
    if (!mayRepeat(call, attempt) || call.attempts.length >= mostAttempts || world.stopping.aborted) return;
    // A client that hung up now and then comes back for its answer, and now and then does not.
    if (outcome.is === "dropped" && chance.next() < 0.3) return;
    drop = undefined;
    await sleep(chance.between(100, 1500));
  }
}

function mayRepeat(call: Call, attempt: Attempt): boolean {
  if (call.idempotencyKey === undefined || successOf(attempt)) return false;
  const { outcome } = attempt;
  return outcome.is !== "answered" || isToRepeat(outcome);
}
