import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { type Random, randomFrom } from "../random.ts";
import { type Issued, limitOfKey, newAccount, smallBalance } from "./accounts.ts";
import type { Call, ChaosAccount } from "./call.ts";
import { makeCall } from "./make-call.ts";
import { dropOf, newCall } from "./new-call.ts";
import type { ChaosVideo } from "./videos.ts";

type World = {
  /** For opening accounts. */
  db: Db;
  apiUrls: readonly string[];
  filesUrl: string;
  videos: readonly ChaosVideo[];
  seed: number;
  /** Requests at once. */
  clients: number;
  timeoutMs: number;
  signal: AbortSignal;
};

/** A running load: the calls so far, and a function that stops it. */
export type Load = {
  calls: readonly Call[];
  accounts: readonly ChaosAccount[];
  /** The expected state of the accounts, including those that could not be created. */
  issued: Issued;
  /** Starts no more calls. Resolves when the calls in flight have ended. */
  stop(): Promise<void>;
};

const accountsAtOnce = 8;

/** Starts clients that call without a pause. They share accounts with small balances. */
export async function startLoad(world: World): Promise<Load> {
  const calls: Call[] = [];
  const accounts: ChaosAccount[] = [];
  const issued: Issued = { granted: new Map(), issuedKeys: new Map() };
  const random = randomFrom(world.seed);
  const stop = new AbortController();
  const stopping = stop.signal;

  const open: ChaosAccount[] = [];
  let tried = 0;
  async function openAnother(): Promise<void> {
    // A failed attempt may have created the account, so its address is not used again.
    const email = `chaos-${world.seed}-${tried++}@example.com`;
    const seconds = smallBalance(random);
    const account = await newAccount(world.db, issued, email, seconds, limitOfKey(seconds));
    accounts.push(account);
    open.push(account);
  }
  while (open.length < accountsAtOnce) await openAnother();

  async function client(index: number): Promise<void> {
    const own = randomFrom(world.seed * 1000 + index);
    for (let number = 0; !stopping.aborted && !world.signal.aborted; number++) {
      const account = own.pick(open);
      const call = newCall(own, account, world.videos, `chaos ${index}.${number}`);
      calls.push(call);
      await makeTogether(call, own);
      const last = call.attempts.at(-1)?.outcome;
      // An account without seconds is used a few more times, then another one replaces it.
      if (last?.is === "answered" && last.code === "out_of_minutes" && own.next() < 0.6) await replace(account);
      await sleep(own.between(0, 400));
    }
  }

  /** Sends the identical requests of a call at about the same time. */
  async function makeTogether(call: Call, own: Random): Promise<void> {
    const requests = call.mcpVersions ?? [undefined];
    const making = requests.map(async (version) => {
      const random = randomFrom(own.between(1, 1_000_000));
      const drop = dropOf(own, call);
      if (requests.length > 1) await sleep(random.between(0, 300));
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
    calls,
    accounts,
    issued,
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
