import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Db } from "../connection/open-database.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { grant } from "../money/grant.ts";
import { type ClaimedJob, claimNextJob, fetchesOfPlace } from "./claim-next-job.ts";
import { finishFetch, recordOrigin, releaseDeadFetches, releaseFetch, releaseForgottenFetches } from "./fetches.ts";
import { findTicket, findTickets, recordWorker } from "./tickets-and-places.ts";

const videoUrl = "https://example.com/v.mp4";
const workerId = randomUUID();
const places = 2;
const most = places * fetchesOfPlace;

test("a job with a URL waits for its video, then for a place; neither line takes jobs of the other", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const { id: accountId } = await newAccount(db);
  const id = await newJob(db, accountId, { videoUrl });
  expect(await claim(db, { fetches: false })).toBe("nothing");
  const fetched = await fetchOf(db);
  expect(fetched).toMatchObject({ id, fence: 1, videoUrl, fetchingMs: 0 });
  expect(await state(db, id)).toEqual({ status: "queued", started: false, url: true, upload: false });
  expect(await findTicket(db, id)).toBe("fetching");
  expect(await findTickets(db)).toEqual([]);
  expect(await claim(db, { fetches: false })).toBe("nothing");

  expect(await finishFetch(db, { ...fetched, fence: 7 })).toBe(false);
  expect(await finishFetch(db, fetched)).toBe(true);
  expect(await state(db, id)).toEqual({ status: "queued", started: false, url: false, upload: true });
  expect(await claim(db, { fetches: true })).toBe("nothing");
  const running = await claim(db, { fetches: false });
  expect(running).toMatchObject({ id, fence: 2, failedClaims: 0, videoUrl: null, videoKey: fetched.claim });
  // The reply of the first call may be lost.
  expect(await finishFetch(db, fetched)).toBe(true);
  expect(await state(db, id)).toEqual({ status: "running", started: true, url: false, upload: true });
  expect(await counts(db)).toEqual([
    { fetches: false, waiting: 0, running: 1 },
    { fetches: true, waiting: 0, running: 0 },
  ]);
});

test("however many videos of however many accounts are being fetched, a job with bytes starts", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  for (let n = 0; n < 3 * most; n++) await newJob(db, (await newAccount(db)).id, { videoUrl });
  const begun = await Promise.all(Array.from({ length: 2 * most }, () => fetchOf(db).catch(() => undefined)));
  expect(begun.filter(Boolean).length).toBeGreaterThanOrEqual(most);
  const id = await newJob(db, (await newAccount(db)).id);
  expect(await claim(db, { fetches: false })).toMatchObject({ id });
});

test("while an account that pays waits for a fetch, all others together begin fetches in half of the places", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  for (let n = 0; n < most; n++) await newJob(db, (await newAccount(db)).id, { videoUrl });
  const { id: accountId } = await newAccount(db);
  await grant(db, { accountId, seconds: 60, reference: "invoice" });
  for (let n = 0; n < most; n++) await newJob(db, accountId, { videoUrl });
  const begun: string[] = [];
  for (let n = 0; n < most; n++) begun.push((await fetchOf(db)).accountId);
  expect(begun.filter((id) => id === accountId)).toHaveLength(most / 2);
});

test("fetches from one network of servers, or for one network of callers, never exceed the places, and other fetches begin", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  await recordWorker(db, { workerId, places });
  const add = async (callerNetwork?: string) => newJob(db, (await newAccount(db)).id, { videoUrl, callerNetwork });
  const ofServer = [await add(), await add(), await add()];
  const busy: unknown[] = [];
  for (const _ of ofServer) {
    const fetched = await fetchOf(db);
    busy.push(await recordOrigin(db, fetched.id, "203.0.113.0/24"));
    if (busy.at(-1)) await releaseFetch(db, fetched);
  }
  expect(busy).toEqual([false, false, true]);
  const ofCaller = [await add("198.51.100.0/24"), await add("198.51.100.0/24"), await add("198.51.100.0/24")];
  const other = await add("192.0.2.0/24");
  expect([(await fetchOf(db)).id, (await fetchOf(db)).id, (await fetchOf(db)).id]).toEqual([
    ...ofCaller.slice(0, 2),
    other,
  ]);
  expect(await claim(db, { fetches: true })).toBe("not yet");
});

test("the time of a job's fetches counts from the first one, over all claims", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const id = await newJob(db, (await newAccount(db)).id, { videoUrl });
  await releaseFetch(db, await fetchOf(db));
  await db.execute(sql`update queue_jobs set fetch_started_at = fetch_started_at - interval '100 seconds'`);
  const again = await fetchOf(db);
  expect(again).toMatchObject({ id, fence: 2, failedClaims: 0 });
  expect(again.fetchingMs).toBeGreaterThanOrEqual(100_000);
});

test("a fetch of a worker that is gone or has forgotten it begins again, and counts as a failed claim", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const id = await newJob(db, (await newAccount(db)).id, { videoUrl });
  await recordWorker(db, { workerId, places });
  const first = await fetchOf(db);
  expect(await releaseDeadFetches(db)).toBe(0);
  await releaseForgottenFetches(db, workerId, [id]);
  expect(await findTicket(db, id)).toBe("fetching");
  await releaseForgottenFetches(db, workerId, []);
  expect(await fetchOf(db)).toMatchObject({ id, fence: 2, failedClaims: 1 });
  await db.execute(sql`update workers set seen_at = now() - interval '20 seconds'`);
  expect(await releaseDeadFetches(db)).toBe(1);
  expect(await fetchOf(db)).toMatchObject({ id, fence: 3, failedClaims: 2 });
  expect(await finishFetch(db, first)).toBe(false);
  await releaseFetch(db, first);
  expect(await findTicket(db, id)).toBe("fetching");
});

function claim(db: Db, asked: { fetches: boolean }) {
  return claimNextJob(db, { ticket: randomUUID(), workerId, places, ...asked });
}

async function fetchOf(db: Db): Promise<ClaimedJob> {
  const claimed = await claim(db, { fetches: true });
  if (typeof claimed === "string") throw new Error(claimed);
  return claimed;
}

async function state(db: Db, id: string) {
  const [row] = await db.execute(sql`
    select status, started_at is not null as started, video_url is not null as url, has_upload as upload
    from jobs where id = ${id}`);
  return row;
}

async function counts(db: Db) {
  return [...(await db.execute(sql`select fetches, waiting, running from queue_accounts order by fetches`))];
}
