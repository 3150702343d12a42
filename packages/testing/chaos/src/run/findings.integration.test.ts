import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import {
  askRedis,
  canStartS3,
  createTestDatabase,
  findCommand,
  startEmulator,
  startRedis,
  startS3Server,
} from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers, processFaults } from "./findings.ts";

const psOf = (column: string, pid: number) =>
  execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" });

/** Starts a shell that leads a group, and a child of it. `program` sleeps. */
async function startParent(program = "sleep") {
  const command = `${program} 60 & echo $!; wait`;
  const parent = spawn("sh", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(parent.pid);
  onTestFinished(() => void process.kill(-pid, "SIGKILL"));
  const [child] = await once(createInterface({ input: parent.stdout as Readable }), "line");
  // The child is a copy of the shell at first.
  await expect.poll(() => psOf("comm", Number(child))).not.toMatch(/^sh\b/);
  return { parent, pid, child: Number(child) };
}

const nothing = { running: [], leaders: [], wrongExits: [], timeoutMs: 0 };

test("a killed process and its orphaned child are reported", async () => {
  const { parent, pid, child } = await startParent();
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const wrongExits = ["worker-2 ended without a signal"];
  expect(await processFaults({ ...nothing, running: [{ name: "worker-1", pid }], leaders: [pid], wrongExits })).toEqual(
    [
      ...wrongExits,
      `worker-1 (pid ${pid}) is gone`,
      expect.stringContaining(` (pid ${child}) is orphaned, a child of`),
    ],
  );
});

test("a stopped process and its stopped child are reported", async () => {
  const { pid, child } = await startParent();
  for (const each of [pid, child]) {
    process.kill(each, "SIGSTOP");
    await expect.poll(() => psOf("stat", each)).toMatch(/^T/);
  }
  expect(await processFaults({ ...nothing, running: [{ name: "worker-1", pid }] })).toEqual([
    `worker-1 (pid ${pid}) is stopped`,
    expect.stringContaining(` (pid ${child}) is stopped and orphaned, a child of worker-1`),
  ]);
});

test("the process that starts a worker's programs is reported only if it is stopped", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kept-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const program = join(directory, "start-programs");
  symlinkSync(String(findCommand("sleep")), program);
  const { pid, child } = await startParent(program);
  const faults = () => processFaults({ ...nothing, running: [{ name: "worker-1", pid }] });
  expect(await faults()).toEqual([]);
  process.kill(child, "SIGSTOP");
  await expect.poll(() => psOf("stat", child)).toMatch(/^T/);
  expect(await faults()).toEqual([expect.stringContaining("start-programs")]);
});

test("a new process with the pid of one that has ended is not reported, and neither is one without orphans", async () => {
  const { pid, child } = await startParent();
  expect(await processFaults({ ...nothing, leaders: [pid] })).toEqual([]);
  expect(await processFaults({ ...nothing, leaders: [2 ** 30] })).toEqual([]);
  expect(await processFaults({ ...nothing, running: [{ name: "child", pid: child }] })).toEqual([]);
});

async function openPlaces() {
  const opened = new AsyncDisposableStack();
  onTestFinished(() => opened.disposeAsync());
  const dataDir = mkdtempSync(join(tmpdir(), "v2j-leftovers-"));
  opened.defer(() => rmSync(dataDir, { recursive: true }));
  for (const folder of ["storage", "scratch"]) mkdirSync(join(dataDir, folder));
  const { url, drop } = await createTestDatabase();
  opened.defer(drop);
  const { db, close } = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  opened.defer(close);
  const redis = await startRedis();
  opened.defer(redis.stop);
  const emulator = await startEmulator();
  opened.defer(emulator.stop);
  const s3 = canStartS3 ? opened.use(await startS3Server()) : undefined;
  const { account } = await openAccount(db, { email: "a@example.com", freeSeconds: 0 });
  const jobId = randomUUID();
  await db.execute(`insert into jobs (id, account_id, deadline_at, schema, has_upload, request_hash)
    values ('${jobId}', '${account.id}', now(), '{}', true, 'h')`);
  const find = () => findLeftovers({ db, dataDir, stack: { redisUrl: redis.url }, s3, emulator });
  return { dataDir, jobId, emulator, s3, find, ask: (command: string) => askRedis(redis.url, command) };
}

test("each file, object, upload and Redis key that a job leaves is found, and nothing that a quiet service keeps", async () => {
  const { dataDir, jobId, emulator, s3, find, ask } = await openPlaces();
  const put = (path: string) => writeFileSync(join(dataDir, path), "");
  const putOld = (path: string) => [put(path), utimesSync(join(dataDir, path), 1, 1)];
  for (const name of ["storage/new", "scratch/test-new"]) put(name);
  await s3?.putObject("new");
  for (const kept of ["mark", "extractions:meta", "extractions:id", "permits:limit"]) await ask(`SET v2j:${kept} 1`);
  await ask("SET v2j:limit:a 1 EX 60");
  expect(await find()).toEqual([]);
  const plants: [string, () => unknown][] = [
    [`storage/${jobId}.mp4`, () => put(`storage/${jobId}.mp4`)],
    ["storage/old", () => putOld("storage/old")],
    ["scratch/test-old", () => putOld("scratch/test-old")],
    ["scratch/a", () => put("scratch/a")],
    [`bucket/${jobId}`, () => s3?.putObject(jobId)],
    [
      "1 copies and 0 uploads at the provider",
      async () => {
        const command = (url: string, name: string, headers: Record<string, string>, body: string) =>
          fetch(url, { method: "POST", headers: { ...headers, "x-goog-upload-command": name }, body });
        const headers = { "x-goog-api-key": "k", "x-goog-upload-protocol": "resumable" };
        const file = JSON.stringify({ file: { mimeType: "video/mp4" } });
        const begun = await command(`${emulator.url}/upload/v1beta/files`, "start", headers, file);
        const upload = begun.headers.get("x-goog-upload-url") ?? "";
        await command(upload, "upload, finalize", { "x-goog-upload-offset": "0" }, "a video");
      },
    ],
    ["Redis: v2j:extractions:wait", () => ask("SET v2j:extractions:wait 1")],
    ["Redis: v2j:limit:b", () => ask("SET v2j:limit:b 1")],
  ];
  const found: string[] = [];
  for (const [line, plant] of plants.filter(([each]) => s3 || !each.startsWith("bucket"))) {
    await plant();
    found.push(line);
    expect((await find()).sort()).toEqual(found.toSorted());
  }
});
