import { randomUUID } from "node:crypto";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashApiKey } from "@video-to-json/contract";
import {
  claimJob,
  type Db,
  eraseJob,
  findCallerByKey,
  findJob,
  insertJob,
  openDatabase,
} from "@video-to-json/database";
import { balance, hold, settle } from "@video-to-json/database/money";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { run } from "./program.ts";

async function newDirectory() {
  const directory = await mkdtemp(join(tmpdir(), "ledger-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function newService() {
  const { url, drop } = await createTestDatabase();
  const { db, close } = openDatabase(url, { maxConnections: 2, applicationName: "test" });
  onTestFinished(async () => {
    await close();
    await drop();
  });
  const admin = async (...words: string[]) => {
    const lines: string[] = [];
    let faults = "";
    const io = { env: { DATABASE_URL: url }, print: (line: string) => void lines.push(line) };
    const code = await run(io, words, (text) => {
      faults += text;
    });
    if (code !== 0) throw new Error(faults);
    return lines.join("\n");
  };
  const newKey = async (account: string) => {
    const made = JSON.parse(await admin("key", "create", "--account", account, "--json")) as {
      id: string;
      key: string;
    };
    return { ...made, works: (other: Db) => findCallerByKey(other, hashApiKey(made.key)) };
  };
  const newAccount = async () => {
    const email = `${randomUUID()}@example.com`;
    const { id } = JSON.parse(await admin("account", "create", "--email", email, "--json")) as { id: string };
    return { id, email };
  };
  return { db, admin, newAccount, newKey };
}

async function newJob(db: Db, accountId: string, jobId: string = randomUUID()) {
  const request = { schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true, requestHash: "h" };
  await db.transaction((tx) => insertJob(tx, { id: jobId, accountId, ...request, deadlineSeconds: 480 }));
  return jobId;
}

async function answer(db: Db, accountId: string, jobId: string) {
  await claimJob(db, jobId);
  const job = { jobId, fence: 1, accountId };
  await hold(db, { ...job, seconds: 90 });
  await settle(db, { ...job, dataText: "{}", model: "m", billedSeconds: 90 });
}

test("a database restored to a time before them gets grants, debits, keys, revocations and deletions again, once", async () => {
  const [service, restored, directory] = [await newService(), await newService(), await newDirectory()];
  const { db, admin } = service;
  const [stays, goes] = [await service.newAccount(), await service.newAccount()];
  const [kept, revoked] = [await service.newKey(stays.id), await service.newKey(stays.id)];
  await admin("ledger", "export", directory);
  await restored.admin("ledger", "replay", directory);
  expect(await balance(restored.db, stays.id)).toBe(1800);

  // Since the backup.
  const [known, unknown, erased] = [await newJob(db, stays.id), await newJob(db, stays.id), await newJob(db, stays.id)];
  for (const job of [known, erased]) await newJob(restored.db, stays.id, job);
  for (const job of [known, unknown, erased]) await answer(db, stays.id, job);
  await eraseJob(db, { id: erased, accountId: stays.id });
  await admin("grant", "--account", stays.id, "--seconds", "600", "--reference", "invoice 1");
  await admin("key", "revoke", revoked.id);
  await admin("account", "delete", goes.id, "--yes");
  const later = await service.newAccount();
  const laterKey = await service.newKey(later.id);
  await admin("ledger", "export", directory);

  const made = await restored.admin("ledger", "replay", directory);
  expect(made).toBe(
    "Made again: 1 × key, 3 × debit, 2 × grant, 1 × revocation, 1 × account deletion, 1 × job deletion.",
  );
  for (const { id } of [stays, goes, later]) expect(await balance(restored.db, id)).toBe(await balance(db, id));
  expect(await balance(restored.db, stays.id)).toBe(1800 - 3 * 90 + 600);
  expect(await kept.works(restored.db)).toMatchObject({ accountId: stays.id });
  expect(await laterKey.works(restored.db)).toMatchObject({ accountId: later.id });
  expect(await revoked.works(restored.db)).toBeUndefined();
  expect(await findJob(restored.db, { id: known, accountId: stays.id })).toMatchObject({ status: "failed" });
  expect(await findJob(restored.db, { id: erased, accountId: stays.id })).toBeUndefined();
  expect(await restored.admin("account", "create", "--email", goes.email)).not.toContain("free minutes");
  expect(await restored.admin("ledger", "replay", directory)).toBe("The database has every change.");
});

test("a copy continues where it ended, also after a crash in the middle of a line, and has each change once", async () => {
  const [service, directory] = [await newService(), await newDirectory()];
  const { id } = await service.newAccount();
  await service.admin("ledger", "export", directory);
  const [name = ""] = await readdir(directory);
  const file = join(directory, name);
  await appendFile(file, (await readFile(file, "utf8")).slice(0, 90));
  await service.admin("grant", "--account", id, "--seconds", "60", "--reference", "again");
  expect(await service.admin("ledger", "export", directory)).toMatch(/^1 changes appended/);
  expect(await service.admin("ledger", "export", directory)).toMatch(/^0 changes appended/);
  const changes = (await readFile(file, "utf8")).trimEnd().split("\n");
  const kinds = changes.map((line) => JSON.parse(line).change.kind);
  expect(kinds).toEqual(["account", "free_grant", "grant", "grant"]);
  expect(await service.admin("ledger", "verify", directory)).toMatch(/^4 changes/);
});

test.each([
  ["changed", (lines: string[]) => lines.with(2, (lines[2] ?? "").replace('"seconds":1800', '"seconds":9000'))],
  ["removed", (lines: string[]) => lines.toSpliced(1, 1)],
  ["moved", (lines: string[]) => lines.toReversed()],
  ["no JSON", (lines: string[]) => lines.with(1, "{")],
] as const)("a copy with a line that is %s is refused, and nothing is made again", async (_fault, spoil) => {
  const [service, restored, directory] = [await newService(), await newService(), await newDirectory()];
  const { id } = await service.newAccount();
  await service.admin("grant", "--account", id, "--seconds", "60", "--reference", "r");
  await service.admin("ledger", "export", directory);
  const [name = ""] = await readdir(directory);
  const file = join(directory, name);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  await writeFile(file, `${spoil(lines).join("\n")}\n`);
  await expect(restored.admin("ledger", "verify", directory)).rejects.toThrow(/, line \d does not follow/);
  await expect(restored.admin("ledger", "replay", directory)).rejects.toThrow("does not follow");
  expect(await balance(restored.db, id)).toBe(0);
});

test("a second process that writes to the same copy ends the first one", async () => {
  const [service, directory] = [await newService(), await newDirectory()];
  await service.newAccount();
  await service.admin("ledger", "export", directory);
  const [name = ""] = await readdir(directory);
  const file = join(directory, name);
  const { size } = await stat(file);
  const running = service.admin("ledger", "export", directory, "--every", "1");
  await service.newAccount();
  await expect.poll(async () => (await stat(file)).size).toBeGreaterThan(size);
  await appendFile(file, "x\n");
  await expect(running).rejects.toThrow("Another process writes");
});
