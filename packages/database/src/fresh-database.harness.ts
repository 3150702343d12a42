import { randomBytes, randomUUID } from "node:crypto";
import { createTestDatabase } from "@video-to-json/testing";
import { insertAccount } from "./accounts/accounts.ts";
import { type Db, openDatabase } from "./connection/open-database.ts";
import { insertJob } from "./jobs/insert-job.ts";

/** A migrated database for one test. */
export async function freshDatabase(maxConnections = 10) {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections, applicationName: "test" });
  return {
    url,
    database,
    db: database.db,
    async [Symbol.asyncDispose]() {
      await database.close();
      await drop();
    },
  };
}

/** An account without minutes. */
export async function newAccount(db: Db) {
  const account = await insertAccount(db, { email: `${randomBytes(6).toString("hex")}@example.com` });
  if (!account) throw new Error("the account exists");
  return account;
}

/** A queued job of an account, and its id. */
export async function newJob(db: Db, accountId: string, given: Partial<Parameters<typeof insertJob>[1]> = {}) {
  const id = randomUUID();
  const job = {
    id,
    accountId,
    schemaText: "{}",
    instructions: null,
    videoUrl: null,
    hasUpload: given.videoUrl === undefined,
    requestHash: "hash",
    deadlineSeconds: 480,
    ...given,
  };
  await db.transaction((tx) => insertJob(tx, job));
  return id;
}
