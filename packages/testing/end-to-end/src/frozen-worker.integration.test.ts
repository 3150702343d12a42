import { borrowService, type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";

// When the frozen worker continues, the answer is already in its socket, so it only has to store it.
const soon = { on: "generate", kind: "latency", ms: 1000, times: 1 };

test("a worker frozen for longer than its lock writes nothing about a job that another worker has finished", async () => {
  await using service = await startService({ workers: 1 });
  const rows = rowsOf(service);
  await service.emulator.setFaults([soon]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  const frozen = freeze(service, "worker-1");
  await service.startWorker();
  const { status, body } = await answer;
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  const before = await rows();
  expect(before.jobs[0]).toMatchObject({ status: "succeeded", fence: 2 });

  await frozen.wakeUp();
  expect(await rows()).toEqual(before);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

test("a worker frozen for longer than its lock writes nothing about a job that another worker runs", async () => {
  await using service = await startService({ workers: 1 });
  const rows = rowsOf(service);
  await service.emulator.setFaults([soon, { on: "generate", kind: "latency", ms: 12_000, times: 1, after: 1 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": 1 });
  const frozen = freeze(service, "worker-1");
  await service.startWorker();
  await service.emulator.waitFor({ "requests.generate": 2 });
  const before = await rows();
  expect(before.jobs[0]).toMatchObject({ status: "running", fence: 2 });

  await frozen.wakeUp();
  expect(await rows()).toEqual(before);
  expect((await answer).status).toBe(200);
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

test("a worker that has lost its job leaves the upload to the worker that has the job", async () => {
  await using service = await borrowService();
  const sql = connect(service);
  const asked = (await service.emulator.state()).requests.generate ?? 0;
  await service.emulator.setFaults([soon]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.generate": asked + 1 });
  await sql`update jobs set fence = fence + 1 where status = 'running'`;
  const { status, body } = await answer;
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  const [job] = await sql`select status, fence from jobs where id = ${body.id}`;
  expect(job).toMatchObject({ status: "succeeded", fence: 3 });
  expect(await service.secondsRemaining()).toBe(1740);
  await untilNothingIsLeft(service);
});

/** Freezes a worker. `wakeUp` continues it and resolves when it has dropped its job. */
function freeze(service: Service, name: string) {
  const { pid } = service.processOf(name);
  process.kill(pid, "SIGSTOP");
  return {
    async wakeUp() {
      // Redis is frozen too, so that only the database can show the worker that its lock is lost.
      process.kill(service.redis.pid, "SIGSTOP");
      process.kill(pid, "SIGCONT");
      const [, metricsUrl = ""] = service.metricsUrls;
      try {
        await expect.poll(() => runningJobs(metricsUrl)).toBe(0);
      } finally {
        process.kill(service.redis.pid, "SIGCONT");
      }
    },
  };
}

async function runningJobs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  return Number(/^video_to_json_places\{state="used"\} (\d+)$/m.exec(text)?.[1]);
}

/** All rows that a run of a job may write. */
function rowsOf(service: Service) {
  const sql = connect(service);
  return async () => ({
    jobs: await sql`select id, status, fence, data::text, model, duration_ms, billed_seconds, finished_at from jobs`,
    ledger: await sql`select * from ledger order by id`,
    holds: await sql`select * from holds`,
  });
}

function connect(service: Pick<Service, "databaseUrl">) {
  const sql = postgres(service.databaseUrl, { max: 1 });
  onTestFinished(() => sql.end());
  return sql;
}
