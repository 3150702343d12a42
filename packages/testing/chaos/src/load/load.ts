import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@video-to-json/database";
import { type Chance, chanceOf } from "../chance.ts";
import { newAccount, smallBalance } from "./accounts.ts";
import type { Call, Door, Drop, TrialAccount } from "./call.ts";
import { makeCall } from "./make-call.ts";
import { shapes } from "./shapes.ts";
import type { TrialVideo } from "./videos.ts";

type World = {
  /** To open accounts with. */
  db: Db;
  apiUrls: readonly string[];
  filesUrl: string;
  videos: readonly TrialVideo[];
  seed: number;
  /** Requests at once. */
  clients: number;
  patienceMs: number;
  signal: AbortSignal;
};

/** The load of a trial: what was called so far, and its end. */
export type Load = {
  calls: readonly Call[];
  accounts: readonly TrialAccount[];
  /** The free seconds that each account was to have, by its address: also of those that could not be opened. */
  granted: ReadonlyMap<string, number>;
  /** Starts no more calls; resolves when those under way have ended. */
  stop(): Promise<void>;
};

const accountsAtOnce = 8;

/** Starts clients that call without pause, from accounts with small balances that several of them share. */
export async function startLoad(world: World): Promise<Load> {
  const calls: Call[] = [];
  const accounts: TrialAccount[] = [];
  const granted = new Map<string, number>();
  const chance = chanceOf(world.seed);
  const stop = new AbortController();
  const stopping = stop.signal;

  const open: TrialAccount[] = [];
  let tried = 0;
  async function openAnother(): Promise<void> {
    // An address that a broken attempt may have opened is not used again.
    const email = `trial-${world.seed}-${tried++}@example.com`;
    const freeSeconds = smallBalance(chance);
    granted.set(email, freeSeconds);
    const account = await newAccount(world.db, email, freeSeconds);
    accounts.push(account);
    open.push(account);
  }
  while (open.length < accountsAtOnce) await openAnother();

  async function client(index: number): Promise<void> {
    const own = chanceOf(world.seed * 1000 + index);
    for (let number = 0; !stopping.aborted && !world.signal.aborted; number++) {
      const account = own.pick(open);
      const call = newCall(own, account, world.videos, `trial ${index}.${number}`);
      calls.push(call);
      await makeCall({ ...world, stopping }, call, own, dropOf(own, call.door));
      const last = call.attempts.at(-1)?.outcome;
      // An account that has run out is tried a little longer, then another takes its place.
      if (last?.is === "answered" && last.code === "out_of_minutes" && own.next() < 0.6) await replace(account);
      await sleep(own.between(0, 400));
    }
  }

  async function replace(account: TrialAccount): Promise<void> {
    const place = open.indexOf(account);
    if (place < 0) return;
    open.splice(place, 1);
    // Postgres may be away just now.
    while (open.length < accountsAtOnce && !world.signal.aborted) await openAnother().catch(() => sleep(500));
  }

  const clients = Array.from({ length: world.clients }, (_, index) => client(index));
  const ended = Promise.all(clients);
  ended.catch(() => {});
  return {
    calls,
    accounts,
    granted,
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

function newCall(chance: Chance, account: TrialAccount, videos: readonly TrialVideo[], marker: string): Call {
  const door = chance.pick<Door>(["upload", "upload", "url", "mcp"]);
  const video = chance.pick(videos);
  const manner = chance.pick(["", "", "", "", "", "/slow", "/slow", "/cut"]);
  return {
    marker,
    account,
    door,
    video,
    urlPath: chance.next() < 0.03 ? "/missing" : `${manner}/${video.name}`,
    shape: chance.pick(shapes),
    idempotencyKey: door !== "mcp" && chance.next() < 0.6 ? `key of ${marker}` : undefined,
    attempts: [],
  };
}

function dropOf(chance: Chance, door: Door): Drop {
  const roll = chance.next();
  if (roll < 0.06) return "mid-wait";
  return roll < 0.1 && door === "upload" ? "mid-upload" : undefined;
}
