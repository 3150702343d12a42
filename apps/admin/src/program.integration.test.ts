import { randomBytes, randomUUID } from "node:crypto";
import { hashApiKey, isApiKey } from "@video-to-json/contract";
import { claimJob, type Database, findCallerByKey, insertJob, openDatabase } from "@video-to-json/database";
import { hold, settle } from "@video-to-json/database/money";
import { createTestDatabase, type TestDatabase } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createProgram, run as runProgram } from "./program.ts";

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { maxConnections: 2, applicationName: "test" });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

test("an account is created once and gets its free minutes once", async () => {
  const email = newEmail();
  const created = await json("account", "create", "--email", ` ${email.toUpperCase()} `, "--json");
  expect(created).toEqual({ id: expect.any(String), email, seconds_remaining: 1800, granted: true });
  expect(await json("account", "create", "--email", email, "--json")).toEqual({ ...created, granted: false });
});

test("a migration makes the first account of an installation and prints its key once", async () => {
  const fresh = await createTestDatabase();
  onTestFinished(fresh.drop);
  const settings = { DATABASE_URL: fresh.url, FIRST_ACCOUNT_EMAIL: "first@example.com", FREE_SECONDS: "600" };
  const lines = await run(["migrate"], settings);
  expect(lines).toEqual([
    "The database is up to date.",
    expect.stringMatching(/^First key, of first@example\.com\. .*: v2j_live_\w+$/),
  ]);
  expect(await run(["migrate"], settings)).toEqual(["The database is up to date."]);
  const account = ["account", "create", "--email", "first@example.com", "--json"];
  expect(JSON.parse((await run(account, settings))[0] ?? "")).toMatchObject({ seconds_remaining: 600, granted: false });
});

test("limits of an account are set, and reset to the default", async () => {
  const { id, email } = await json("account", "create", "--email", newEmail(), "--json");
  expect(await run(["account", "set", email, "--max-jobs", "60", "--max-failed-percent", "50"])).toEqual([
    `Account ${id} (${email})`,
    "maxJobs: 60",
    "maxFailedExtractions: default",
    "maxFailedPercent: 50",
    "retentionDays: keep",
  ]);
  expect(await run(["account", "set", id, "--max-jobs", "default"])).toContain("maxJobs: default");
});

test("the retention of an account is set, shown and reset", async () => {
  const { email } = await json("account", "create", "--email", newEmail(), "--json");
  expect(await run(["account", "set", email, "--retention", "7"])).toContain("retentionDays: 7");
  expect(await run(["account", "set", email])).toContain("retentionDays: 7");
  expect(await run(["account", "set", email, "--retention", "keep"])).toContain("retentionDays: keep");
});

test("a deleted account is gone with its keys, and its address gets no second grant", async () => {
  const { id, email } = await json("account", "create", "--email", newEmail(), "--json");
  const { key } = await json("key", "create", "--account", email, "--json");
  expect((await run(["account", "delete", email, "--yes"]))[0]).toContain(`Account ${id} (${email}) is deleted.`);
  expect(await findCallerByKey(database.db, hashApiKey(key))).toBeUndefined();
  for (const account of [id, email]) {
    await expect(run(["key", "list", "--account", account])).rejects.toMatchObject({ code: "not_found" });
  }
  const again = await json("account", "create", "--email", email, "--json");
  expect(again).toMatchObject({ seconds_remaining: 0, granted: false });
});

test("a key is created with its scope, limit and end, and listed with them", async () => {
  const { email } = await json("account", "create", "--email", newEmail(), "--json");
  const limits = ["--scope", "read", "--monthly-minutes", "90", "--ends", "2999-01-31"];
  await run(["key", "create", "--account", email, "--name", "CI", ...limits]);
  const [listed] = await run(["key", "list", "--account", email, "--json"]);
  expect(JSON.parse(listed ?? "")).toMatchObject([
    {
      name: "CI",
      state: "live",
      scope: "read",
      monthly_minutes: 90,
      minutes_this_month: 0,
      ends_at: "2999-01-31T00:00:00.000Z",
      last_used_at: null,
    },
  ]);
  const [line] = await run(["key", "list", "--account", email]);
  expect(line).toContain("live until 2999-01-31T00:00:00.000Z  read  0 of 90 min this month");
});

test.for([
  ["--monthly-minutes", "0"],
  ["--ends", "2020-01-01"],
  ["--name", " "],
  ["--name", "n".repeat(101)],
])("a key with %j is refused", async (given) => {
  const { email } = await json("account", "create", "--email", newEmail(), "--json");
  const refused = run(["key", "create", "--account", email, ...given]);
  await expect(refused).rejects.toMatchObject({ code: "invalid_request" });
});

test("FREE_SECONDS sets the free minutes", async () => {
  const lines = await run(["account", "create", "--email", newEmail(), "--json"], { FREE_SECONDS: "90" });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ seconds_remaining: 90 });
});

test("a key is shown whole once and authenticates until it is revoked", async () => {
  const { id: accountId, email } = await json("account", "create", "--email", newEmail(), "--json");
  const made = await json("key", "create", "--account", email, "--name", "laptop", "--json");
  expect(made).toEqual({
    id: expect.any(String),
    account_id: accountId,
    display: made.key.slice(0, 15),
    key: expect.stringMatching(/^v2j_live_/),
  });
  expect(isApiKey(made.key, "v2j")).toBe(true);
  expect(await findCallerByKey(database.db, hashApiKey(made.key))).toMatchObject({ accountId, keyId: made.id });

  const listed = await run(["key", "list", "--account", accountId, "--json"]);
  expect(listed.join("\n")).not.toContain(made.key);
  expect(JSON.parse(listed[0] ?? "")).toMatchObject([
    { id: made.id, name: "laptop", display: made.display, revoked_at: null },
  ]);

  expect((await run(["key", "revoke", made.display]))[0]).toContain("is revoked");
  expect(await findCallerByKey(database.db, hashApiKey(made.key))).toBeUndefined();
  expect((await run(["key", "revoke", made.id]))[0]).toContain("was already revoked");
});

test("a key has the prefix of API_KEY_PREFIX", async () => {
  const { email } = await json("account", "create", "--email", newEmail(), "--json");
  const [key] = await run(["key", "create", "--account", email], { API_KEY_PREFIX: "acme" });
  expect(isApiKey(key ?? "", "acme")).toBe(true);
});

test("revoking an unknown key throws not_found", async () => {
  for (const text of [randomUUID(), "v2j_live_", "", "*"]) {
    await expect(run(["key", "revoke", text])).rejects.toMatchObject({ code: "not_found" });
  }
});

test("costs lists the accounts that cost most, and whether they pay", async () => {
  const { id } = await json("account", "create", "--email", "burns@example.com", "--json");
  await database.db.execute(
    `update accounts set tokens = 1000000, microdollars = 2345678, processor_ms = 2500 where id = '${id}'`,
  );
  const { accounts } = await json("costs", "--limit", "1", "--json");
  const cost = { tokens: 1_000_000, dollars: 2.345678, processorSeconds: 2.5, billedSeconds: 0 };
  expect(accounts).toEqual([{ email: "burns@example.com", ...cost, isFree: true }]);
  await run(["grant", "--account", "burns@example.com", "--minutes", "1", "--reference", "invoice of costs"]);
  expect((await run(["costs"])).slice(0, 2)).toEqual([
    expect.stringMatching(/^dollars +tokens +processor s +billed s +tokens\/s +grants +account$/),
    expect.stringMatching(/^2.35 +1000000 +3 +0 +- +paid +burns@example.com$/),
  ]);
});

test("a reference grants minutes once", async () => {
  const { id, email } = await json("account", "create", "--email", newEmail(), "--json");
  const reference = randomUUID();
  const granted = { account_id: id, seconds: 90, reference, granted: true, seconds_remaining: 1890 };
  const minutes = ["grant", "--account", email, "--minutes", "1.5", "--reference", reference, "--json"];
  expect(await json(...minutes)).toEqual(granted);
  expect(await json(...minutes)).toEqual({ ...granted, granted: false });
  expect(
    await json("grant", "--account", id, "--seconds", "10", "--reference", `${reference} b`, "--json"),
  ).toMatchObject({ seconds: 10, seconds_remaining: 1900 });
});

test.for([[], ["--minutes", "1", "--seconds", "60"], ["--minutes", "-1"], ["--seconds", "1.5"], ["--seconds", "1e3"]])(
  "a grant of %j is refused",
  async (amount) => {
    const { email } = await json("account", "create", "--email", newEmail(), "--json");
    const grant = run(["grant", "--account", email, "--reference", "r", ...amount]);
    await expect(grant).rejects.toMatchObject({ code: "invalid_request" });
  },
);

test("an unknown account throws not_found and is not created", async () => {
  for (const account of [newEmail(), randomUUID(), "not an id"]) {
    await expect(run(["key", "create", "--account", account])).rejects.toMatchObject({ code: "not_found" });
    await expect(run(["key", "list", "--account", account])).rejects.toMatchObject({ code: "not_found" });
  }
});

test("a job is shown as stored, on one line, without control characters", async () => {
  const { id: accountId } = await json("account", "create", "--email", newEmail(), "--json");
  const jobId = randomUUID();
  await database.db.transaction((tx) =>
    insertJob(tx, {
      id: jobId,
      accountId,
      schemaText: '{ "b":\n"text", "a": 0.0 }',
      instructions: "clear \u001b[2J and \u009b2J",
      videoUrl: null,
      hasUpload: true,
      requestHash: "h",
      deadlineSeconds: 480,
    }),
  );
  await claimJob(database.db, jobId);
  const job = { jobId, fence: 1, accountId };
  await hold(database.db, { ...job, seconds: 60 });
  await settle(database.db, { ...job, dataText: '{"b":"x\u009b","a":1.50}', model: "m", billedSeconds: 60 });

  const lines = await run(["job", "show", jobId, "--json"]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"schema":{ "b": "text", "a": 0.0 }');
  expect(lines[0]).toContain('"data":{"b":"x\\u009b","a":1.50}');
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    id: jobId,
    account_id: accountId,
    status: "succeeded",
    instructions: "clear \u001b[2J and \u009b2J",
    billed_seconds: 60,
    model: "m",
    error: null,
  });
  expect(Object.keys(JSON.parse(lines[0] ?? "")).join(" ")).toBe(
    "id account_id status created_at started_at finished_at deadline_at cleaned_at claims " +
      "schema instructions clip detail data video billed_seconds model error",
  );
  const text = await run(["job", "show", jobId]);
  for (const line of [...lines, ...text]) expect(line).not.toMatch(/\p{Cc}/u);
  expect(text.find((line) => line.startsWith("status"))).toMatch(/"succeeded"$/);
});

test("an unknown job throws not_found", async () => {
  for (const id of [randomUUID(), "x"]) {
    await expect(run(["job", "show", id])).rejects.toMatchObject({ code: "not_found" });
  }
});

test.for([
  [
    "a database that does not answer",
    ["migrate"],
    { DATABASE_URL: "postgres://u:geheim@127.0.0.1:1/x" },
    /DATABASE_URL/,
  ],
  ["a missing setting", ["migrate"], {}, /DATABASE_URL.*is required/],
  ["an invalid setting", ["migrate"], { DATABASE_URL: "mysql://u:geheim@h/x" }, /postgres:\/\//],
  ["a missing option", ["key", "create"], {}, /--account/, 2],
  ["an unknown command", ["frobnicate"], {}, /unknown command/, 2],
  ["no command", [], {}, /Usage: video-to-json-admin/, 2],
  ["no command of a group", ["key"], {}, /Usage: video-to-json-admin key/, 2],
] as const)("%s: standard error says what to do, without a secret", async ([, words, env, text, exitCode = 1]) => {
  const lines: string[] = [];
  let errors = "";
  const code = await runProgram({ env, print: (line) => lines.push(line) }, words, (more) => {
    errors += more;
  });
  expect([code, lines]).toEqual([exitCode, []]);
  expect(errors).toMatch(text);
  expect(errors).not.toMatch(/^ +at |geheim/m);
});

test("the help goes to standard output with exit code 0", async () => {
  const lines: string[] = [];
  const code = await runProgram({ env: {}, print: (line) => lines.push(line) }, ["key", "--help"], expect.unreachable);
  expect([code, lines.join("")]).toEqual([0, expect.stringMatching(/^Usage: video-to-json-admin key /)]);
});

function newEmail(): string {
  return `${randomBytes(6).toString("hex")}@example.com`;
}

/** Returns the lines that a command prints. */
async function run(words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  const io = { env: { DATABASE_URL: testDatabase.url, ...env }, print: (line: string) => lines.push(line) };
  await createProgram(io).parseAsync(words, { from: "user" });
  return lines;
}

type Printed = {
  accounts: unknown;
  id: string;
  email: string;
  key: string;
  display: string;
};

async function json(...words: string[]): Promise<Printed> {
  const lines = await run(words);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "");
}
