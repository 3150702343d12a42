import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultLimits } from "@video-to-json/contract";
import { claimNextJob, findFinishedJobs, findTicket, insertJob, recordWorker } from "@video-to-json/database";
import { openCompletions, openJobQueue } from "@video-to-json/queue";
import { noTracing, openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { serveLocally, testRedis } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { startFetches } from "./fetch-videos.ts";
import { openJobPlace } from "./job-place.harness.ts";
import { deleteOrphanUploads } from "./maintenance/delete-videos.ts";
import { createMemoryProvider, makeReadableVideo } from "./memory-provider.harness.ts";

test("a fetched video is an upload: the URL is gone, a ticket says so, and the job runs as any other", async () => {
  const world = await openWorld((_request, response) => response.end(world.video));
  const fetches = world.start();
  const id = await world.newJob();
  fetches.look();
  await expect.poll(() => world.queue.count()).toBe(1);
  const { video_url, video_key } = await world.row(id);
  expect([await world.uploads(), video_url]).toEqual([[video_key], null]);
  await world.runJob(id);
  expect(await world.findJob(id)).toMatchObject({ status: "succeeded", billedSeconds: 60, fence: 2 });
  expect(await world.uploads()).toEqual([]);
});

test.each<[string, RequestListener, string]>([
  ["that is an HTML page", (_, response) => drip(response, "<!doctype html><html>"), "media_unreadable"],
  ["of zeros", (_, response) => drip(response, Buffer.alloc(1024)), "media_unreadable"],
  ["that is refused", (_, response) => response.writeHead(404).end(), "video_unreachable"],
])(
  "a URL %s ends its job after the first bytes, tells the caller at once, and leaves nothing",
  async (_, answer, code) => {
    const world = await openWorld(answer);
    await world.listening();
    const told = world.completions.wait(await world.newJob(), {
      signal: new AbortController().signal,
      deadline: new Date(Date.now() + 60_000),
    });
    world.start().look();
    expect(await told).toBe("finished");
    const job = await world.findJob(world.lastId());
    expect([job?.status, JSON.parse(job?.errorText ?? "null").code]).toEqual(["failed", code]);
    await expect.poll(async () => (await world.row(world.lastId())).cleaned).toBe(true);
    expect([await world.uploads(), await world.debitedSeconds()]).toEqual([[], 0]);
  },
);

test("a job whose account was locked when its worker looked begins sooner than the next look", async () => {
  const begun: number[] = [];
  const world = await openWorld((_request, response) => {
    begun.push(performance.now());
    response.end(world.video);
  });
  const fetches = world.start();
  const waits: number[] = [];
  // A busy machine makes some of them slow.
  for (let round = 1; round <= 5; round++) {
    await world.db.transaction(async (tx) => {
      await world.newJob();
      await tx.execute(sql`select from queue_accounts for update`);
      fetches.look();
      await sleep(60);
    });
    const unlockedAt = performance.now();
    await expect.poll(() => begun.length).toBe(round);
    await expect.poll(fetches.running).toBe(0);
    waits.push(Number(begun.at(-1)) - unlockedAt);
  }
  expect(Math.min(...waits)).toBeLessThan(200);
});

test("the time limit of a fetch is the job's: a later claim has what earlier ones have left", async () => {
  const world = await openWorld((_request, response) => drip(response, mp4Start), { totalMs: 20_000 });
  const id = await world.newJob();
  const elsewhere = { ticket: randomUUID(), workerId: randomUUID(), places: 1, fetches: true };
  await claimNextJob(world.db, elsewhere);
  await world.db.execute(sql`
    update queue_jobs set ticket = null, worker = null, fetch_started_at = now() - interval '19 seconds'`);
  const startedAt = performance.now();
  world.start().look();
  await expect.poll(async () => (await world.findJob(id))?.status).toBe("failed");
  expect(performance.now() - startedAt).toBeLessThan(8000);
  expect((await world.findJob(id))?.errorText).toContain("took longer than 20 s");
});

test("a worker that stops gives its fetches to others, and they do not count as failed", async () => {
  let requests = 0;
  const world = await openWorld((_request, response) => {
    requests++;
    if (requests > 1) response.end(world.video);
    else drip(response, mp4Start);
  });
  const id = await world.newJob();
  const first = world.start();
  first.look();
  await expect.poll(() => requests).toBe(1);
  await first.close(10);
  expect([await findTicket(world.db, id), await world.uploads()]).toEqual([undefined, []]);
  world.start().look();
  const line = () => world.db.execute(sql`select fetches from queue_jobs where job_id = ${id}`);
  await expect.poll(async () => [...(await line())]).toEqual([{ fetches: false }]);
  expect(await world.uploads()).toEqual([(await world.row(id)).video_key]);
  expect(await world.claimJob(id)).toMatchObject({ failedClaims: 0, fence: 3 });
});

test.each(["ends", "breaks"])(
  "a worker that stalled changes nothing: when its fetch %s, the video of the next one stays, and its own is removed",
  async (how) => {
    const responses: Parameters<RequestListener>[1][] = [];
    const world = await openWorld((_request, response) => {
      responses.push(response);
      if (responses.length > 1) response.end(world.video);
      else drip(response, mp4Start);
    });
    const id = await world.newJob();
    const stalled = world.start();
    stalled.look();
    await expect.poll(() => responses.length).toBe(1);
    await expect.poll(world.uploads).toHaveLength(1);
    await world.db.execute(sql`update queue_jobs set ticket = null, worker = null`);
    world.start().look();
    await expect.poll(() => world.queue.count()).toBe(1);
    if (how === "ends") responses[0]?.end();
    else responses[0]?.destroy();
    await expect.poll(() => stalled.running()).toBe(0);
    const { video_key } = await world.row(id);
    expect(await world.uploads()).toEqual([video_key]);
    expect(await readFile(join(world.directory, "storage", String(video_key)))).toEqual(world.video);
    await world.runJob(id);
    expect([(await world.findJob(id))?.status, await world.uploads()]).toEqual(["succeeded", []]);
  },
);

test("the video of a worker that died goes with its job", async () => {
  const world = await openWorld((_request, response) => response.end(world.video));
  const id = await world.newJob();
  const dead = await claimNextJob(world.db, { ticket: randomUUID(), workerId: randomUUID(), places: 1, fetches: true });
  if (typeof dead === "string") throw new Error(dead);
  await world.storage.put(dead.videoKey, Readable.from([mp4Start]), { maxBytes: 10_000 });
  await world.db.execute(sql`update queue_jobs set ticket = null, worker = null`);
  world.start().look();
  await expect.poll(() => world.queue.count()).toBe(1);
  expect(await world.uploads()).toHaveLength(2);
  await deleteOrphanUploads({ ...world.deps, storage: world.storage, orphanUploadSeconds: -60 });
  expect(await world.uploads()).toHaveLength(2);
  await world.runJob(id);
  expect(await world.uploads()).toEqual([]);
});

test("a worker whose database is silent stops within some seconds after its grace period", async () => {
  const world = await openWorld((_request, response) => response.end(world.video));
  const answered = Promise.withResolvers<void>();
  const fetches = world.start(() => answered.promise);
  const stopped = fetches.close(100).then(() => "stopped");
  expect.soft(await Promise.race([stopped, sleep(9_000, "still waits")])).toBe("stopped");
  answered.resolve();
});

test("a fetch from a network that has its part of the fetches is put back, and goes on when the part is free", async () => {
  const world = await openWorld((_request, response) => drip(response, mp4Start));
  const [one, two] = [await world.newJob(), await world.newJob()];
  world.start();
  const fetching = async () =>
    (await Promise.all([one, two].map((id) => findTicket(world.db, id)))).filter((ticket) => ticket === "fetching");
  const origins = async () => (await world.db.execute(sql`select origin from queue_jobs`)).map(({ origin }) => origin);
  await expect.poll(origins).toEqual(["127.0.0.0/24", "127.0.0.0/24"]);
  await expect.poll(fetching).toHaveLength(1);
  await sleep(1200);
  expect(await fetching()).toHaveLength(1);
  const [row] = await world.db.execute<{ id: string }>(
    sql`select job_id as id from queue_jobs where worker is not null`,
  );
  await world.db.execute(sql`delete from jobs where id = ${row?.id}`);
  await expect.poll(fetching).toHaveLength(1);
});

const mp4Start = Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(1024)]);

/** Sends bytes and then nothing, without an end. */
function drip(response: Parameters<RequestListener>[1], bytes: string | Buffer): void {
  response.write(bytes);
}

/** A worker with one place, and a web server that `answer` plays. */
async function openWorld(answer: RequestListener, fetching: { totalMs?: number } = {}) {
  const site = await serveLocally(answer);
  const place = await openJobPlace(createMemoryProvider({ answers: ['{"colour":"red"}'] }));
  const video = await readFile(await makeReadableVideo(place.directory));
  const { url: redisUrl, prefix } = testRedis();
  const redis = { redisUrl, prefix, onError: () => {} };
  const queue = openJobQueue(redis);
  const completions = openCompletions({
    ...redis,
    findFinished: (ids) => findFinishedJobs(place.db, ids),
    lookEveryMs: 60_000,
  });
  const opened = new AsyncDisposableStack();
  onTestFinished(() => opened.disposeAsync());
  opened.use(site);
  opened.defer(() => queue.close());
  opened.defer(() => completions.close());
  const deps = {
    ...place.deps,
    ...{ queue, tracing: noTracing, places: 1, metrics: openWorkerMetrics() },
    ...{ storage: place.storage, limits: defaultLimits },
    fetching: { allowHosts: [site.host], totalMs: 60_000, minBytesPerSecond: 1, ...fetching },
  };
  let lastId = "";
  return {
    ...place,
    ...{ queue, completions, video },
    lastId: () => lastId,
    /** Resolves when the events of the queue arrive. */
    listening: async () => {
      const id = randomUUID();
      let heard = 0;
      using _watch = completions.watch(id, () => heard++);
      await expect.poll(() => queue.announce(id, { stage: "obtaining" }).then(() => heard)).toBeGreaterThan(0);
    },
    start: (ready = async () => {}) => {
      const workerId = randomUUID();
      // A worker that was not seen for 15 s has no places, so it records itself again and again.
      const seen = setInterval(() => void recordWorker(place.db, { ...deps, workerId }).catch(() => {}), 2000);
      opened.defer(() => clearInterval(seen));
      const fetches = startFetches({ ...deps, workerId }, ready);
      opened.defer(() => fetches.close(0));
      return fetches;
    },
    row: async (id: string) => {
      const [row] = await place.db.execute<{ video_url: string | null; video_key: string | null; cleaned: boolean }>(
        sql`select video_url, video_key, cleaned_at is not null as cleaned from jobs where id = ${id}`,
      );
      if (!row) throw new Error("There is no such job.");
      return row;
    },
    newJob: async () => {
      lastId = randomUUID();
      const job = { id: lastId, accountId: place.accountId, schemaText: '{"colour":"red|blue"}', instructions: null };
      const source = { videoUrl: `${site.url}/${lastId}`, hasUpload: false, requestHash: lastId, deadlineSeconds: 600 };
      await place.db.transaction((tx) => insertJob(tx, { ...job, ...source }));
      return lastId;
    },
  };
}
