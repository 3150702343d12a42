import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Db } from "../connection/open-database.ts";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { failJob, succeedJob } from "../jobs/change-job.ts";
import { grant } from "../money/grant.ts";
import { claimNextJob } from "./claim-next-job.ts";
import { recordWorker } from "./tickets-and-places.ts";

test("the account with the fewest jobs running starts next, then the one that started longest ago, oldest job first", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const [a, b, c] = [await queueOf(db, 4), await queueOf(db, 2), await queueOf(db, 1)];
  const started = await startAll(db, 7, 100);
  expect(started).toEqual([a[0], b[0], c[0], a[1], b[1], a[2], a[3]]);

  const [a4, b2] = [await a.add(), await b.add()];
  // Accounts a, b and c run 4, 2 and 1 jobs.
  await finish(db, c[0], b[0], b[1]);
  const c1 = await c.add();
  expect(await startAll(db, 3, 100)).toEqual([c1, b2, a4]);
});

test("while others wait an account holds its share of the places at most, and alone it holds all", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const a = await queueOf(db, 12);
  expect(await startAll(db, 6, 10)).toEqual(a.slice(0, 6));
  const b = await queueOf(db, 9);
  // Account a has six of ten places and b may have five. From then on, neither may have more than five.
  expect(await startAll(db, 6, 10)).toEqual([...b.slice(0, 5), "not yet"]);
  await finish(db, ...a.slice(0, 2));
  expect(await startAll(db, 2, 10)).toEqual([a[6], "not yet"]);
  // With a third account, which has one job and does not wait, the share is four.
  const c = await queueOf(db, 1);
  await finish(db, b[0] ?? "", b[1] ?? "", b[2] ?? "");
  expect(await startAll(db, 4, 10)).toEqual([c[0], b[5], b[6], "not yet"]);
  // Account b has no more waiting jobs, so a may have all places.
  await finish(db, ...b.slice(3));
  expect(await startAll(db, 6, 10)).toEqual([...a.slice(7), "nothing"]);
});

test("while more accounts wait than there are places, each has one", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const queues = await Promise.all(Array.from({ length: 5 }, () => queueOf(db, 2)));
  const started = await startAll(db, 5, 3);
  expect(started.toSorted()).toEqual(queues.flatMap(([first = ""]) => first).toSorted());
  expect(await startAll(db, 1, 3)).toEqual(["not yet"]);
});

test("while an account that pays waits, all free accounts together start jobs in half of the places", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const free = await Promise.all(Array.from({ length: 9 }, () => queueOf(db, 2)));
  const first = await startAll(db, 6, 8);
  expect(free.flat().filter((id) => first.includes(id))).toHaveLength(6);
  const paying = await queueOf(db, 3);
  await pay(db, paying.accountId);
  // The free accounts have six of eight places, so each of the next ones goes to the account that pays.
  expect(await startAll(db, 2, 8)).toEqual(paying.slice(0, 2));
  await finish(db, ...first.slice(0, 1));
  expect(await startAll(db, 1, 8)).toEqual([paying[2]]);
  // It does not wait any more, so the others have the rest.
  await finish(db, ...paying.slice(0, 1));
  const [next = ""] = await startAll(db, 1, 8);
  expect(free.flat()).toContain(next);
});

test("an account that pays may hold its share, however many free accounts wait", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const paying = await queueOf(db, 3);
  await pay(db, paying.accountId);
  const free = await Promise.all(Array.from({ length: 30 }, () => queueOf(db, 1)));
  const started = await startAll(db, 8, 8);
  expect(paying.filter((id) => started.includes(id))).toHaveLength(3);
  expect(free.flat().filter((id) => started.includes(id))).toHaveLength(5);
});

test("the limit of running jobs includes the places of every worker that was seen recently", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  await queueOf(db, 9);
  await queueOf(db, 9);
  const [other, dead] = [randomUUID(), randomUUID()];
  await recordWorker(db, { workerId: other, places: 4 });
  await recordWorker(db, { workerId: dead, places: 100 });
  await db.execute(sql`update workers set seen_at = now() - interval '20 seconds' where id = ${dead}`);
  const started = await startAll(db, 7, 2);
  expect(started.filter((outcome) => outcome !== "not yet")).toHaveLength(6);
});

test("a ticket that is delivered again has its own job, under a new fence, and no other", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const [first] = await queueOf(db, 2);
  const ticket = randomUUID();
  const claim = () => claimNextJob(db, { ticket, workerId, places: 8 });
  expect(await claim()).toMatchObject({ id: first, fence: 1 });
  expect(await claim()).toMatchObject({ id: first, fence: 2 });
  await db.execute(sql`update jobs set deadline_at = now() - interval '1 second' where id = ${first}`);
  expect(await claim()).toBe("nothing");
  await finish(db, first ?? "");
  expect(await claim()).toMatchObject({ fence: 1 });
});

test("a job that was claimed by its id runs under a ticket of that id", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const [first = "", second = ""] = await queueOf(db, 2);
  await claimJob(db, second);
  expect(await claimNextJob(db, { ticket: second, workerId, places: 8 })).toMatchObject({ id: second, fence: 2 });
  expect(await claimNextJob(db, { ticket: first, workerId, places: 8 })).toMatchObject({ id: first, fence: 1 });
});

test("a job that needs a worker of a later release stays for such a worker, and others start", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const [first = "", second = "", third = ""] = await queueOf(db, 3);
  const need = (id: string, needs: string) =>
    db.execute(sql`update jobs set needs = ${needs}::text[] where id = ${id}`);
  await need(first, "{clip,hologram}");
  await need(second, "{clip,detail,evidence,second_look}");
  expect(await startAll(db, 3, 8)).toEqual([second, third, "not yet"]);
  // The ticket of a job whose worker, of the later release, has gone.
  await need(second, "{hologram}");
  expect(await claimJob(db, second)).toBeUndefined();
  await need(second, "{}");
  expect(await claimJob(db, second)).toMatchObject({ fence: 2 });
});

test("an overdue job does not start, and does not keep its account or others from starting", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const a = await queueOf(db, 1);
  const [b0 = "", b1] = await queueOf(db, 2);
  await db.execute(sql`update jobs set deadline_at = now() - interval '1 second' where id in (${a[0]}, ${b0})`);
  expect(await startAll(db, 2, 8)).toEqual([b1, "not yet"]);
});

test("a claim skips rows that another transaction has locked, and does not wait", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const [a0 = "", a1] = await queueOf(db, 2);
  const b = await queueOf(db, 1);
  await db.transaction(async (tx) => {
    await tx.execute(sql`select from queue_accounts where account_id = ${a1 && (await accountOf(db, a1))} for update`);
    expect(await startAll(db, 2, 8)).toEqual([b[0], "not yet"]);
  });
  await db.transaction(async (tx) => {
    await tx.execute(sql`select from jobs where id = ${a0} for update`);
    expect(await startAll(db, 1, 8)).toEqual([a1]);
  });
});

test("racing claims and ends of many accounts start every job once, and the counts stay true", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const queues = await Promise.all(Array.from({ length: 6 }, () => queueOf(db, 15)));
  const started: string[] = [];
  const work = async () => {
    for (;;) {
      const job = await claimNextJob(db, { ticket: randomUUID(), workerId, places: 10 });
      if (job === "nothing") return;
      if (job === "not yet") continue;
      started.push(job.id);
      await finish(db, job.id);
    }
  };
  await Promise.all(Array.from({ length: 10 }, work));
  expect(started.toSorted()).toEqual(queues.flatMap((queue) => [...queue]).toSorted());
  expect(await counts(db)).toEqual(Array.from({ length: 6 }, () => ({ waiting: 0, running: 0 })));
});

test("the counts follow every change of a job", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const [one = "", two = "", three = ""] = await queueOf(db, 4);
  expect(await counts(db)).toEqual([{ waiting: 4, running: 0 }]);
  await claimJob(db, one);
  await claimJob(db, one);
  await claimJob(db, two);
  expect(await counts(db)).toEqual([{ waiting: 2, running: 2 }]);
  await db.transaction((tx) => succeedJob(tx, { id: one, fence: 2, dataText: "{}", model: "m", billedSeconds: 60 }));
  await finish(db, two, three, three);
  expect(await counts(db)).toEqual([{ waiting: 1, running: 0 }]);
  const undone = db.transaction(async (tx) => {
    await tx.execute(sql`delete from jobs`);
    tx.rollback();
  });
  await expect(undone).rejects.toThrow();
  expect(await counts(db)).toEqual([{ waiting: 1, running: 0 }]);
  await db.execute(sql`delete from jobs`);
  expect(await counts(db)).toEqual([{ waiting: 0, running: 0 }]);
  expect(await db.execute(sql`select from queue_jobs`)).toEqual([]);
  await db.execute(sql`delete from accounts`);
  expect(await counts(db)).toEqual([]);
});

const workerId = randomUUID();

/** Queues jobs of a new account. Returns the list of their ids, which can also add further ones. */
async function queueOf(db: Db, count: number) {
  const { id } = await newAccount(db);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await newJob(db, id));
  return Object.assign(ids, { accountId: id, add: () => newJob(db, id) });
}

/** Claims `times` jobs with new tickets, on one worker with `places` places. Returns the ids, or the other outcomes. */
async function startAll(db: Db, times: number, places: number): Promise<string[]> {
  const started: string[] = [];
  for (let n = 0; n < times; n++) {
    const job = await claimNextJob(db, { ticket: randomUUID(), workerId, places });
    started.push(typeof job === "string" ? job : job.id);
  }
  return started;
}

async function pay(db: Db, accountId: string): Promise<void> {
  await grant(db, { accountId, seconds: 60, reference: `invoice of ${accountId}` });
}

async function finish(db: Db, ...ids: (string | undefined)[]): Promise<void> {
  const error = { code: "internal_error" as const, message: "m" };
  for (const id of ids) if (id) await db.transaction((tx) => failJob(tx, { id, error }));
}

async function accountOf(db: Db, id: string): Promise<unknown> {
  const [row] = await db.execute(sql`select account_id from jobs where id = ${id}`);
  return row?.account_id;
}

async function counts(db: Db) {
  return [...(await db.execute(sql`select waiting, running from queue_accounts order by account_id`))];
}
