import type { StackPart } from "@video-to-json/stack";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedOf, bearer, connect } from "./service-facts.ts";

// Two workers with two places each.
const graceSeconds = 8;
let service: Service;
beforeAll(async () => {
  const env = { WORKER_CONCURRENCY: "2", EXTRACTIONS_PER_MINUTE: "1000" };
  service = await startService({ workers: 2, env: { ...env, SHUTDOWN_GRACE_SECONDS: String(graceSeconds) } });
});
afterAll(() => service[Symbol.asyncDispose]());

type Fault = { on?: "generate" | "chunk"; kind: "hang" | "latency"; ms?: number; times?: number; after?: number };

/** Sends a request. Resolves when the provider has received the request to which the first fault applies. */
async function start(first: Fault, { more = [] as Fault[], headers = {} as Record<string, string> } = {}) {
  const { requests } = await service.emulator.state();
  const before = await service.secondsRemaining();
  await service.emulator.setFaults([first, ...more].map((fault) => ({ on: "generate", times: 1, ...fault })));
  const sent = service.extract({}, headers);
  const { on = "generate", after = 0 } = first;
  await service.emulator.waitFor({ [`requests.${on}`]: (requests[on] ?? 0) + after + 1 });
  return {
    sent,
    asked: requests.generate ?? 0,
    before,
    /** Checks that the caller gets the answer, for one charge, and that nothing is left of the job. */
    async answered() {
      const { status, body } = await sent;
      expect([status, body.data]).toEqual([200, { main_color: "red" }]);
      expect(before - (await service.secondsRemaining())).toBe(60);
      await untilNothingIsLeft(service);
      return body.id;
    },
  };
}

const metricsOf = (worker: StackPart) => service.metricsUrls[service.parts.indexOf(worker)] ?? "";
async function runningJobs(worker: StackPart): Promise<number> {
  const text = await (await fetch(`${metricsOf(worker)}/metrics`)).text();
  return Number(/^video_to_json_places\{state="used"\} (\d+)$/m.exec(text)?.[1]);
}

async function holder(): Promise<StackPart> {
  const workers = service.parts.filter(({ app }) => app === "worker");
  let holders: StackPart[] = [];
  await expect
    .poll(async () => {
      const jobs = await Promise.all(workers.map(runningJobs));
      holders = workers.filter((_, index) => jobs[index] === 1);
      return holders.length;
    })
    .toBe(1);
  return holders[0] as StackPart;
}

async function restartHolder(signal: "SIGKILL" | "SIGTERM", whileDead = async () => {}): Promise<void> {
  const worker = await holder();
  const { ended } = worker;
  worker.signal(signal);
  expect(await ended).toBe(signal === "SIGKILL" ? "signal SIGKILL" : "code 0");
  await whileDead();
  await worker.start();
}

function rowReader() {
  const sql = connect(service.databaseUrl);
  return async () => ({
    jobs: await sql`
      select id, status, fence, data::text, model, duration_ms, billed_seconds, finished_at
      from jobs order by created_at desc`,
    ledger: await sql`select * from ledger order by id`,
    holds: await sql`select * from holds order by job_id`,
  });
}

function fenceReader() {
  const rows = rowReader();
  return async () => (await rows()).jobs[0]?.fence;
}

const jobCount = runsAllTests ? 60 : 8;

test("beside an account that may have sixty jobs at once, the first jobs of others are the next to start", async () => {
  const sql = connect(service.database.url);
  const many = await service.newKey(36_000);
  const [noisyAccount] = await sql`select id from accounts order by created_at desc limit 1`;
  await sql`update accounts set max_jobs = 60 where id = ${noisyAccount?.id}`;
  const others = await Promise.all([1, 2, 3].map(() => service.newKey()));
  const noisy = Array.from({ length: jobCount }, (_, n) => service.extract({ instructions: `${n}` }, bearer(many)));
  const admitted = async () => Number((await sql`select count(*) from jobs`)[0]?.count);
  await expect.poll(admitted).toBe(jobCount);
  const quiet = await Promise.all(others.map((key) => service.extract({}, bearer(key))));
  for (const { status, headers } of quiet) {
    expect(status).toBe(200);
    const overtaken = await sql`
      select count(*)::int as jobs from jobs, (select * from jobs where id = ${headers.get("job-id")}) quiet
      where jobs.account_id = ${noisyAccount?.id}
        and jobs.started_at > quiet.created_at and jobs.started_at < quiet.started_at`;
    // At most three noisy jobs may start first: those between the quiet job's admission and its ticket, and those
    // that the other worker starts at the same moment.
    expect(overtaken[0]?.jobs).toBeLessThanOrEqual(3);
  }
  expect(new Set((await Promise.all(noisy)).map((answer) => answer.status))).toEqual(new Set([200]));
  expect(await service.secondsRemaining(many)).toBe(36_000 - jobCount * 60);
  await untilNothingIsLeft(service);
});

test("after Redis has lost its data and a worker has died, every job of each account gets its answer", async () => {
  const before = await askedOf(service);
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 8 }]);
  const keys = [await service.newKey(), await service.newKey()];
  const answers = keys.flatMap((key) => [1, 2, 3].map(() => service.extract({}, bearer(key))));
  await service.emulator.waitFor({ "requests.generate": before + 1 });
  const worker = service.parts.find(({ app }) => app === "worker");
  worker?.signal("SIGKILL");
  await service.forgetQueue();
  expect(await worker?.ended).toBe("signal SIGKILL");
  await worker?.start();
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
  for (const key of keys) expect(await service.secondsRemaining(key)).toBe(1800 - 3 * 60);
  await untilNothingIsLeft(service);
});

test("a request whose worker is killed gets its answer, for one charge", async () => {
  const { answered } = await start({ kind: "hang" });
  await restartHolder("SIGKILL");
  await answered();
});

test("a worker that is killed while it gathers evidence: the caller gets the answer with its evidence, for one charge", async () => {
  // The first question is about the schema, the second about evidence.
  const headers = { "extract-evidence": "fields" };
  const { before, answered } = await start({ kind: "hang", after: 1 }, { headers });
  await restartHolder("SIGKILL", async () => expect(await service.secondsRemaining()).toBe(before));
  const id = await answered();
  const evidence = JSON.parse((await service.read(`/v1/jobs/${id}/evidence`)).text);
  expect(evidence).toMatchObject({ job_id: id, status: "complete" });
  expect([...Object.keys(evidence.fields), ...evidence.whole_video]).toEqual(["/main_color"]);
});

test("the part of a video that a killed worker had sent does not stay at the provider", async () => {
  const { answered } = await start({ on: "chunk", kind: "hang" });
  await restartHolder("SIGKILL", async () => expect((await service.emulator.state()).openUploads).toBe(1));
  await answered();
});

// When the frozen worker continues, the answer is already in its socket, so it only has to store it.
const soon = { kind: "latency", ms: 2000 } as const;

test("a worker frozen for longer than its lock writes nothing about a job that another worker has finished", async () => {
  const rows = rowReader();
  const { sent, answered } = await start(soon);
  const frozen = freeze(await holder());
  await sent;
  const before = await rows();
  expect(before.jobs[0]).toMatchObject({ status: "succeeded", fence: 2 });
  await frozen.wakeUp();
  expect(await rows()).toEqual(before);
  await answered();
});

test("a worker frozen for longer than its lock writes nothing about a job that another worker runs", async () => {
  const rows = rowReader();
  const { asked, answered } = await start(soon, { more: [{ kind: "latency", ms: 12_000, after: 1 }] });
  const frozen = freeze(await holder());
  await service.emulator.waitFor({ "requests.generate": asked + 2 });
  const before = await rows();
  expect(before.jobs[0]).toMatchObject({ status: "running", fence: 2 });
  await frozen.wakeUp();
  expect(await rows()).toEqual(before);
  await answered();
});

/** Freezes a worker. `wakeUp` continues it and resolves when it has dropped its job. */
function freeze(worker: StackPart) {
  worker.signal("SIGSTOP");
  return {
    async wakeUp() {
      // Redis is frozen too, so that only the database can show the worker that its lock is lost.
      process.kill(service.redis.pid, "SIGSTOP");
      worker.signal("SIGCONT");
      try {
        await expect.poll(() => runningJobs(worker)).toBe(0);
      } finally {
        process.kill(service.redis.pid, "SIGCONT");
      }
    },
  };
}

test("a worker that has lost its job leaves the upload to the worker that has the job", async () => {
  const rows = rowReader();
  const { answered } = await start(soon);
  await connect(service.databaseUrl)`update jobs set fence = fence + 1 where status = 'running'`;
  const id = await answered();
  expect((await rows()).jobs[0]).toMatchObject({ id, status: "succeeded", fence: 3 });
});

test("a stopping worker finishes its job within the grace period, not ready but alive, and then exits", async () => {
  const fence = fenceReader();
  const { answered } = await start({ kind: "latency", ms: 2000 });
  const worker = await holder();
  const { ended } = worker;
  worker.signal("SIGTERM");
  const status = async (path: string) => (await fetch(metricsOf(worker) + path)).status;
  await expect.poll(() => status("/readyz")).toBe(503);
  expect(await status("/healthz")).toBe(200);
  await answered();
  expect([await ended, await fence()]).toEqual(["code 0", 1]);
  await worker.start();
});

test("another worker claims a job that exceeds the grace period at once, not after its lock has expired", async () => {
  const fence = fenceReader();
  const { answered } = await start({ kind: "hang" });
  const worker = await holder();
  const stoppedAt = performance.now();
  worker.signal("SIGTERM");
  await expect.poll(fence, { interval: 50 }).toBe(2);
  // A lock expires after 6 s, which BullMQ notices up to 2 s later.
  expect(performance.now() - stoppedAt).toBeLessThan(graceSeconds * 1000 + 5000);
  expect(await worker.ended).toBe("code 0");
  await answered();
});

// The last test, because nothing starts the API again.
test("a stopping API answers its open requests before it ends", async () => {
  const { sent } = await start({ kind: "latency", ms: 1000 });
  const [api] = service.parts;
  api?.signal("SIGTERM");
  expect((await sent).status).toBe(200);
  expect(await api?.ended).toBe("code 0");
});
