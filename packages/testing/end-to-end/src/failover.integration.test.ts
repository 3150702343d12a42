import { setTimeout as sleep } from "node:timers/promises";
import { type Service, startService } from "@video-to-json/stack/service";
import { startCuttingProxy, startPostgres, startStandby } from "@video-to-json/testing";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bearer } from "./service-facts.ts";

const opened = new AsyncDisposableStack();
let service: Service;
let servers: { old: postgres.Sql; next: postgres.Sql };
let nextUrl: string;
/** Makes the name of the database lead to the server at a URL. Open connections stay. */
let leadTo: (url: string) => void;

beforeAll(async () => {
  const old = opened.adopt(await startPostgres(), (server) => server.stop());
  const next = opened.adopt(await startStandby(old.url), (server) => server.stop());
  const name = opened.use(await startCuttingProxy(old.url));
  const connect = (url: string) =>
    opened.adopt(postgres(url, { max: 1, onnotice: () => {} }), (client) => client.end({ timeout: 0 }));
  servers = { old: connect(old.url), next: connect(next.url) };
  await servers.old`create database service`;
  nextUrl = next.url;
  leadTo = name.leadTo;
  const url = name.url.replace("http://", "postgres://postgres@");
  service = opened.use(await startService({ env: { DATABASE_URL: `${url}/service`, READS_PER_MINUTE: "1000000" } }));
});
afterAll(() => opened.disposeAsync());

const reads = ["/v1/me", "/v1/jobs?limit=5"];
const ready = async (process: string) => (await fetch(String(service.processOf(process).readyUrl))).status;

/** Reads all the time. Returns for how long reads failed at most, in milliseconds, once `until` has settled. */
async function longestWithoutReads(until: Promise<unknown>): Promise<number> {
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  let longest = 0;
  const read = async (path: string) => {
    for (let good = performance.now(); !isOver; await sleep(50)) {
      const { status } = await fetch(service.baseUrl + path, { headers: bearer(service.apiKey) });
      if (status === 200) good = performance.now();
      longest = Math.max(longest, performance.now() - good);
    }
  };
  await Promise.all([
    until,
    ...Array.from({ length: 4 }, () => reads)
      .flat()
      .map(read),
  ]);
  return longest;
}

/** The promise is 20 s. Other tests slow the processor. */
const maxMs = 60_000;

/** Extracts until it succeeds. Returns how long that took, in milliseconds. */
async function untilWritten(): Promise<number> {
  const since = performance.now();
  const elapsed = () => performance.now() - since;
  while ((await service.extract()).status !== 200 && elapsed() < 2 * maxMs) await sleep(100);
  return elapsed();
}

test("after a failover that leaves the old primary up and read-only, reads continue, held calls get their answers, and writes are back", async () => {
  expect((await service.extract()).status).toBe(200);
  await servers.old`alter system set default_transaction_read_only = on`;
  let writes = Number.POSITIVE_INFINITY;
  // Their workers wait for the provider when the database fails over, and settle on the new primary.
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 6000, times: 3 }]);
  const { requests } = await service.emulator.state();
  const held = [1, 2, 3].map((n) => service.extract({ instructions: `${n}` }));
  await service.emulator.waitFor({ "requests.generate": (requests.generate ?? 0) + 3 });
  const failover = async () => {
    await servers.old`select pg_reload_conf()`;
    await sleep(4000);
    const [row] = await servers.old<{ at: string }[]>`select pg_current_wal_lsn()::text as at`;
    const isCaughtUp = () =>
      servers.next`select from pg_stat_wal_receiver where latest_end_lsn >= ${row?.at ?? ""}::pg_lsn`;
    await expect.poll(async () => (await isCaughtUp()).length).toBe(1);
    await servers.next`select pg_promote()`;
    leadTo(nextUrl);
    writes = await untilWritten();
  };
  expect(await longestWithoutReads(failover())).toBeLessThan(5000);
  expect(writes).toBeLessThan(maxMs);
  await expect.poll(() => Promise.all([ready("api-1"), ready("worker-1")])).toEqual([200, 200]);
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await service.secondsRemaining()).toBe(1800 - 300);
});

test("on a standby the service reads and says so, refuses new calls without charge, and writes again on the primary", async () => {
  const [{ id } = { id: "" }] = JSON.parse((await service.read("/v1/jobs")).text).jobs;
  const standby = opened.adopt(await startStandby(nextUrl), (server) => server.stop());
  leadTo(standby.url);
  await servers.next`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'video-to-json%'`;
  await expect.poll(() => ready("worker-1")).toBe(503);
  // The first look after the cut connections may fail.
  await expect.poll(() => ready("api-1")).toBe(200);
  // The standby may be a moment behind.
  for (const path of [...reads, `/v1/jobs/${id}`])
    await expect.poll(async () => (await service.read(path)).status, { message: path }).toBe(200);
  const refused = await service.extract();
  expect([refused.status, refused.body.error.code]).toEqual([503, "provider_unavailable"]);
  leadTo(nextUrl);
  expect(await untilWritten()).toBeLessThan(maxMs);
  expect(await service.secondsRemaining()).toBe(1800 - 360);
});
