import { setTimeout as sleep } from "node:timers/promises";
import { countWaitingJobs, type Db, findTickets } from "@video-to-json/database";
import { type JobQueue, openJobQueue } from "@video-to-json/queue";
import type { Evidence } from "../audit/evidence.ts";
import { parsed } from "../audit/records.ts";
import { wrongByMs } from "../surroundings/clocks.ts";

/** Looks again and again. An unavailable server or an overloaded machine proves nothing. Returns how to stop. */
function repeatedly(everyMs: number, look: () => Promise<void>): () => Promise<void> {
  const stopping = new AbortController();
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => {});
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await looking;
  };
}

/** Whether an API responded to a request that needs the database, and the time of the request (milliseconds since 1970). */
export type Probe = { api: string; at: number; ok: boolean };

/** Whether the queue had a ticket for every open job at a time (milliseconds since 1970), and which were missing. */
export type QueueLook = { at: number; whole: boolean; misses?: string };

type World = { db: Db; redisUrl: string; apiUrls: readonly string[]; key: string };

const timeoutMs = 5000;

/** Watches the APIs' answers, the tickets of open jobs, and the fences of open and newly finished jobs. */
export function watchService({ db, redisUrl, apiUrls, key }: World) {
  const probes: Probe[] = [];
  const looks: QueueLook[] = [];
  const fences = new Map<string, { fence: number; isFinal: boolean }>();
  const queue = openJobQueue({ redisUrl, prefix: "v2j", onError: () => {} });
  const probe = async (api: string) => {
    const sent = { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(timeoutMs) };
    const response = await fetch(`${api}/v1/me`, sent).catch(() => undefined);
    await response?.body?.cancel().catch(() => {});
    probes.push({ api, at: Date.now(), ok: response?.ok ?? false });
  };
  const lookAtQueue = async () => {
    const misses = await missesOf({ db, queue });
    looks.push({ at: Date.now(), whole: misses === "", ...(misses && { misses }) });
  };
  const readFences = async () => {
    const rows = await db.execute<{ id: string; fence: number; is_final: boolean }>(
      `select id, fence, finished_at is not null as is_final from jobs
        where finished_at is null or finished_at > now() - interval '3 minutes'`,
    );
    for (const { id, fence, is_final: isFinal } of rows) {
      // A fence that falls later is a fault, so the highest one stays.
      const highest = Math.max(Number(fence), fences.get(id)?.fence ?? 0);
      fences.set(id, { fence: highest, isFinal });
    }
  };
  const stops = [
    ...apiUrls.map((api) => repeatedly(200, () => probe(api))),
    ...[repeatedly(300, lookAtQueue), repeatedly(1000, readFences)],
  ];
  return {
    probes: probes as readonly Probe[],
    looks: looks as readonly QueueLook[],
    /** The highest fence of each job, and whether the job had finished then. */
    fences: fences as Evidence["fencesSeen"],
    async stop() {
      const stopping = stops.splice(0);
      await Promise.all(stopping.map((stop) => stop()));
      if (stopping.length > 0) await queue.close();
    },
    readFences,
  };
}

/** Returns the times in which an API did not respond to a request that needs the database, in milliseconds since 1970. */
export function findApiOutages(probes: readonly Probe[]): { at: number; overAt: number }[] {
  return [...Map.groupBy(probes, ({ api }) => api).values()].flatMap((own) =>
    own.flatMap(({ at, ok }, i) => (ok ? [] : [{ at: own[i - 1]?.at ?? at, overAt: at }])),
  );
}

/** Returns the missing tickets: those of running jobs, or one more for each waiting job. Empty if none is missing. */
async function missesOf({ db, queue }: { db: Db; queue: JobQueue }): Promise<string> {
  const running = await findTickets(db);
  const missing = new Set(await queue.missing(running));
  // A job that finished between the two queries does not count.
  const lost = missing.size > 0 ? (await findTickets(db)).filter((ticket) => missing.has(ticket)) : [];
  if (lost.length > 0) return `tickets of running jobs: ${lost.join(", ")}`;
  const tickets = (await queue.count()) - running.length;
  // A job is in the database shortly before its ticket is in the queue.
  const waiting = await countWaitingJobs(db, { minAgeMs: 3_000 });
  return tickets >= waiting ? "" : `${waiting} jobs wait and ${tickets} tickets are free`;
}

/** A claim: which worker began which job, and when (milliseconds since 1970). */
export type Claim = { jobId: string; part: string; at: number };

/** Returns the claims in the log of a worker, oldest first. The run may still be going on, or has just ended. */
export function readClaims(part: string, log: string): Claim[] {
  const now = Date.now();
  return log.split("\n").flatMap((line) => {
    if (!line.includes('"stage":"obtaining"')) return [];
    const claim = parsed(line) as { jobId: string; time: string } | null;
    if (!claim) return [];
    const at = Date.parse(claim.time);
    // The clock of the process may have been wrong.
    const wrongMs = Math.abs(at - now) < wrongByMs / 2 ? 0 : Math.sign(at - now) * wrongByMs;
    return [{ jobId: claim.jobId, part, at: at - wrongMs }];
  });
}
