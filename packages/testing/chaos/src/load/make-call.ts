import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import { type Attempt, type Call, type Drop, isToRepeat, successOf } from "./call.ts";
import type { McpVersion } from "./mcp-message.ts";
import { send } from "./send.ts";

type World = {
  apiUrls: readonly string[];
  filesUrl: string;
  /** The time limit for a response, in milliseconds. */
  timeoutMs: number;
  /** Stops new requests. */
  signal: AbortSignal;
  /** Stops retries. */
  stopping: AbortSignal;
};

const mostAttempts = 5;
const mostRefusals = 120;

/**
 * Makes a call like a careful client. When an API refuses the connection, it uses the other API. After a broken
 * connection or a server error it sends again if it has an Idempotency-Key. Without a key it does not, so it never pays
 * twice.
 */
export async function makeCall(
  world: World,
  call: Call,
  random: Random,
  first: { drop: Drop; version?: McpVersion | undefined },
): Promise<void> {
  const { version } = first;
  let { drop } = first;
  let api = random.between(0, world.apiUrls.length - 1);
  for (let refusals = 0; refusals < mostRefusals && !world.signal.aborted; ) {
    const apiUrl = world.apiUrls[api % world.apiUrls.length] ?? "";
    const startedAt = Date.now();
    const pauseMs = drop === "mid-wait" ? random.between(50, 3000) : random.between(0, 400);
    const { filesUrl, timeoutMs } = world;
    const outcome = await send(call, { apiUrl, filesUrl, drop, pauseMs, timeoutMs, version });
    api++;
    if (outcome.is === "refused") {
      refusals++;
      await sleep(250);
      continue;
    }
    const attempt = { apiUrl, startedAt, endedAt: Date.now(), outcome, ...(version && { version }) };
    call.attempts.push(attempt);
    if (!mayRepeat(call, attempt) || call.attempts.length >= mostAttempts || world.stopping.aborted) return;
    // A client that closed the connection sometimes sends again and sometimes does not.
    if (outcome.is === "dropped" && random.next() < 0.3) return;
    drop = undefined;
    await sleep(random.between(100, 1500));
  }
}

function mayRepeat(call: Call, attempt: Attempt): boolean {
  if (call.idempotencyKey === undefined || successOf(attempt)) return false;
  const { outcome } = attempt;
  return outcome.is !== "answered" || isToRepeat(outcome);
}
