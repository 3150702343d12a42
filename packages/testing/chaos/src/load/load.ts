import { setTimeout as sleep } from "node:timers/promises";
import { createApiKey } from "@video-to-json/contract";
import { type Db, insertKey } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { type Random, randomFrom } from "@video-to-json/testing/running";
import { type Call, type ChaosAccount, type Drop, dropOf, type McpVersion, mayBeRepeated, newCall } from "./call.ts";
import { send } from "./send.ts";
import type { ChaosVideo } from "./videos.ts";

/** An account that the run opened, and its API key. An id is missing when its creation failed. */
export type IssuedAccount = {
  email: string;
  grantedSeconds: number;
  key: string;
  keyName: string;
  monthlyMinutes: number | null;
  id?: string;
  keyId?: string;
};

// Enough for no job, for one or two jobs, or for many.
const balances = [0, 30, 59, 60, 100, 125, 150, 190, 240, 400, 900];

/** Opens an account with a balance and a key. Opens it twice at the same time, which must make one grant. */
async function newAccount(db: Db, issued: IssuedAccount[], email: string, freeSeconds: number): Promise<ChaosAccount> {
  const { key, sha256, display } = createApiKey("v2j");
  // Richer accounts reach the limit of their key before their balance is spent.
  const monthlyMinutes = freeSeconds >= 400 ? Math.floor(freeSeconds / 120) : null;
  const own: IssuedAccount = { email, grantedSeconds: freeSeconds, key, keyName: "chaos", monthlyMinutes };
  issued.push(own);
  const opening = () => openAccount(db, { email, freeSeconds });
  const [{ account }] = await Promise.all([opening(), opening()]);
  own.id = account.id;
  const stored = await insertKey(db, { accountId: account.id, name: own.keyName, sha256, display, monthlyMinutes });
  own.keyId = stored.id;
  return { id: account.id, email, key };
}

const mostAttempts = 5;
const mostRefusals = 120;

/**
 * Makes a call like a careful client. When an API refuses the connection, it uses the other API. After a broken
 * connection or a server error it sends again if it has an Idempotency-Key. Without a key it does not, so it never pays
 * twice.
 */
async function makeCall(
  world: World & { stopping: AbortSignal },
  call: Call,
  random: Random,
  first: { drop: Drop; version?: McpVersion | undefined },
): Promise<void> {
  const { version } = first;
  let { drop } = first;
  let api = random.whole(0, world.apiUrls.length - 1);
  for (let refusals = 0; refusals < mostRefusals && !world.signal.aborted; ) {
    const apiUrl = world.apiUrls[api % world.apiUrls.length] ?? "";
    const startedAt = Date.now();
    const pauseMs = drop === "mid-wait" ? random.whole(50, 3000) : random.whole(0, 400);
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
    if (call.idempotencyKey === undefined || !mayBeRepeated(attempt)) return;
    if (call.attempts.length >= mostAttempts || world.stopping.aborted) return;
    // A client that closed the connection sometimes sends again and sometimes does not.
    if (outcome.is === "dropped" && random.chance(0.3)) return;
    drop = undefined;
    await sleep(random.whole(100, 1500));
  }
}

type World = {
  db: Db;
  apiUrls: readonly string[];
  filesUrl: string;
  videos: readonly ChaosVideo[];
  seed: number;
  clients: number;
  /** The time limit for a response, in milliseconds. */
  timeoutMs: number;
  /** Stops new requests. `stopping` stops retries. */
  signal: AbortSignal;
};

const accountsAtOnce = 8;

/** Starts clients that call without a pause. They share accounts with small balances. */
export async function startLoad(world: World) {
  const calls: Call[] = [];
  const issued: IssuedAccount[] = [];
  const random = randomFrom(world.seed);
  const stop = new AbortController();
  const stopping = stop.signal;

  const open: ChaosAccount[] = [];
  let tried = 0;
  async function openAnother(): Promise<void> {
    // A failed attempt may have created the account, so its address is not used again.
    const email = `chaos-${world.seed}-${tried++}@example.com`;
    open.push(await newAccount(world.db, issued, email, random.one(balances)));
  }
  while (open.length < accountsAtOnce) await openAnother();

  async function client(index: number): Promise<void> {
    const own = randomFrom(world.seed * 1000 + index);
    for (let number = 0; !stopping.aborted && !world.signal.aborted; number++) {
      const account = own.one(open);
      const call = newCall(own, account, world.videos, `chaos ${index}.${number}`);
      calls.push(call);
      await makeTogether(call, own);
      const last = call.attempts.at(-1)?.outcome;
      // An account without seconds is used a few more times, then another one replaces it.
      if (last?.is === "answered" && last.code === "out_of_minutes" && own.chance(0.6)) await replace(account);
      await sleep(own.whole(0, 400));
    }
  }

  async function makeTogether(call: Call, own: Random): Promise<void> {
    const requests = call.mcpVersions ?? [undefined];
    const making = requests.map(async (version) => {
      const random = randomFrom(own.whole(1, 1_000_000));
      const drop = dropOf(own, call);
      if (requests.length > 1) await sleep(random.whole(0, 300));
      await makeCall({ ...world, stopping }, call, random, { drop, version });
    });
    await Promise.all(making);
  }

  async function replace(account: ChaosAccount): Promise<void> {
    const place = open.indexOf(account);
    if (place < 0) return;
    open.splice(place, 1);
    // Postgres may be unavailable now.
    while (open.length < accountsAtOnce && !world.signal.aborted) await openAnother().catch(() => sleep(500));
  }

  const clients = Array.from({ length: world.clients }, (_, index) => client(index));
  const ended = Promise.all(clients);
  ended.catch(() => {});
  return {
    calls: calls as readonly Call[],
    issued: issued as readonly IssuedAccount[],
    /** Starts no more calls. Resolves when the calls in flight have ended. */
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

export type Load = Awaited<ReturnType<typeof startLoad>>;
