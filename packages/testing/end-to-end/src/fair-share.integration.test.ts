import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { runsAllTests } from "@video-to-json/testing/running";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const jobCount = runsAllTests ? 60 : 8;
const schema = { main_color: "red|green|blue" };

describe("two workers, with one job at a time at the provider", () => {
  let service: Service;
  let server: Awaited<ReturnType<typeof slowServer>>;
  beforeAll(async () => {
    server = await slowServer();
    service = await startService({ workers: 2, env: { FETCH_ALLOW_HOSTS: server.host, GLOBAL_CONCURRENCY: "1" } });
  });
  afterAll(async () => {
    server.close();
    await service[Symbol.asyncDispose]();
  });

  test("ten slow URLs of two accounts delay no clip of a third, even while one job at a time may be with the provider", async () => {
    server.clip = await readFile(service.video);
    const accounts = [await service.newKey(), await service.newKey()];
    const slow = accounts.flatMap((key) =>
      Array.from({ length: 5 }, (_, n) => service.extractUrl({ schema, video_url: `${server.url}/${n}` }, bearer(key))),
    );
    await expect.poll(() => server.open(), { timeout: 60_000 }).toBe(10);
    const { status, body } = await service.extract();
    expect([status, body.data, server.open()]).toEqual([200, { main_color: "red" }, 10]);
    server.release();
    expect((await Promise.all(slow)).map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200));
    await untilNothingIsLeft(service);
  }, 180_000);

  test("two workers never have more jobs with the provider than allowed, while all jobs are fetched and probed", async () => {
    const sql = connect(service);
    const before = await asked(service);
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 8000, times: -1 }]);
    const keys = [await service.newKey(), await service.newKey()];
    const answers = keys.flatMap((key) => [1, 2, 3].map(() => service.extract({}, bearer(key))));
    const held = async () => Number((await sql`select count(*) from holds where state = 'held'`)[0]?.count);
    await expect.poll(held, { timeout: 60_000 }).toBe(6);
    expect(await asked(service)).toBeLessThanOrEqual(before + 1);
    await service.emulator.setFaults([]);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    await untilNothingIsLeft(service);
  }, 180_000);
});

describe("two workers with two places each", () => {
  let service: Service;
  beforeAll(async () => {
    const env = { WORKER_CONCURRENCY: "2", EXTRACTIONS_PER_MINUTE: "1000" };
    service = await startService({ workers: 2, env });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test("beside an account that may have sixty jobs at once, the first jobs of others are the next to start", async () => {
    const sql = connect(service);
    const many = await service.newKey(36_000);
    const [noisyAccount] = await sql`select id from accounts order by created_at desc limit 1`;
    await service.admin("account", "set", noisyAccount?.id, "--max-jobs", "60");
    const others = await Promise.all([1, 2, 3].map(() => service.newKey()));
    const noisy = Array.from({ length: jobCount }, (_, n) => service.extract({ instructions: `${n}` }, bearer(many)));
    await expect
      .poll(async () => Number((await sql`select count(*) from jobs`)[0]?.count), { timeout: 60_000 })
      .toBe(jobCount);
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
  }, 300_000);

  test("after Redis has lost its data and a worker has died, every job of each account gets its answer", async () => {
    const before = await asked(service);
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 8 }]);
    const keys = [await service.newKey(), await service.newKey()];
    const answers = keys.flatMap((key) => [1, 2, 3].map(() => service.extract({}, bearer(key))));
    await service.emulator.waitFor({ "requests.generate": before + 1 });
    process.kill(service.processOf("worker-1").pid, "SIGKILL");
    await service.forgetQueue();
    await service.startWorker();
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    for (const key of keys) expect(await service.secondsRemaining(key)).toBe(1800 - 3 * 60);
    await untilNothingIsLeft(service);
  }, 240_000);
});

/** Returns how many questions the provider has received. */
async function asked(service: Service): Promise<number> {
  return (await service.emulator.state()).requests.generate ?? 0;
}

function connect(service: Service) {
  const sql = postgres(service.database.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}

/** Starts a server of videos that answers nothing until `release` is called. */
async function slowServer() {
  const released = Promise.withResolvers<void>();
  let open = 0;
  const server = createServer(async (_request, response) => {
    open++;
    await released.promise;
    response.end(place.clip);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = {
    host,
    url: `http://${host}`,
    clip: Buffer.alloc(0),
    open: () => open,
    release: () => released.resolve(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return place;
}
