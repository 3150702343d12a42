import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { failJob, succeedJob } from "./change-job.ts";
import { eraseJob } from "./erase-jobs.ts";
import { findAnyJob, findJob } from "./find-job.ts";
import { findJobsPage, listRecentJobs } from "./list-jobs.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const texts = {
  "key order": '{"b":1,"a":2,"10":3,"2":4,"__proto__":5}',
  "the same key twice": '{"a":1,"a":2}',
  "number literals": "[0, 0.0, -0, 1e2, 1E+2, 12345678901234567890, 1.10, 1e400]",
  "white space": ' {\n\t"a" :\r\n[ 1 ,2 ] }\n ',
  "U+0000, escaped": '{"a\\u0000":"\\u0000"}',
  "lone surrogates, escaped": '["\\ud800", "\\uDC00x"]',
  "text beyond the first plane": '["𝄞 é ✓"]',
  "text that looks like placeholders": '"%s $1 :name ? {} \\\\"',
  "a bare string": '"x"',
  null: "null",
  "deep nesting": `${"[".repeat(500)}${"]".repeat(500)}`,
  "a megabyte": JSON.stringify("x".repeat(1024 * 1024)),
};

test.for(Object.entries(texts))("JSON is read as it was stored, character for character: %s", async ([, text]) => {
  const { id: accountId } = await newAccount(fresh.db);
  const id = await newJob(fresh.db, accountId, { schemaText: text });
  const claimed = await claimJob(fresh.db, id);
  expect(claimed?.schemaText).toBe(text);
  await fresh.db.transaction((tx) => succeedJob(tx, { id, fence: 1, dataText: text, model: "m", billedSeconds: 60 }));
  expect(await findJob(fresh.db, { id, accountId })).toMatchObject({ schemaText: text, dataText: text });
});

test.for([
  "",
  "plain",
  "null",
  '"quoted" and \\escaped\\',
  "zero \u0000 and escape \u001b",
  "lone \ud800 surrogate \udc00",
  "𝄞 é ✓\r\n",
])("instructions are read as they were sent: %j", async (instructions) => {
  const { id: accountId } = await newAccount(fresh.db);
  const id = await newJob(fresh.db, accountId, { instructions });
  expect((await claimJob(fresh.db, id))?.instructions).toBe(instructions);
  expect((await findJob(fresh.db, { id, accountId }))?.instructions).toBe(instructions);
});

test("a URL reaches the worker as it was sent, and is deleted when the job finishes", async () => {
  const { id: accountId } = await newAccount(fresh.db);
  const videoUrl = "https://user:pass@example.com/v.mp4?sig=\u0000%20ü#x";
  const good = await newJob(fresh.db, accountId, { videoUrl });
  const bad = await newJob(fresh.db, accountId, { videoUrl });
  expect((await claimJob(fresh.db, good))?.videoUrl).toBe(videoUrl);
  await fresh.db.transaction(async (tx) => {
    await succeedJob(tx, { id: good, fence: 1, dataText: "{}", model: "m", billedSeconds: 60 });
    await failJob(tx, { id: bad, error: { code: "extraction_failed", message: "m" } });
  });
  expect((await findJob(fresh.db, { id: good, accountId }))?.videoUrl).toBeNull();
  expect((await findJob(fresh.db, { id: bad, accountId }))?.videoUrl).toBeNull();
});

test("a failed job with any text in its details is counted, found by its code and erased", async () => {
  const { id: accountId } = await newAccount(fresh.db);
  const id = await newJob(fresh.db, accountId);
  const details = ['/"code":"x"\u0000: \ud800'];
  const error = { code: "extraction_failed" as const, message: "no", details };
  await fresh.db.transaction((tx) => failJob(tx, { id, error }));
  expect(await listRecentJobs(fresh.db, accountId)).toMatchObject([{ failed: true }]);
  const query = { accountId, limit: 5, filter: { code: error.code } };
  expect((await findJobsPage(fresh.db, query)).jobs).toMatchObject([{ id }]);
  expect(await eraseJob(fresh.db, { id, accountId })).toBe("erased");
  expect((await findAnyJob(fresh.db, id))?.errorText).toMatch(/^\{"code" ?: ?"extraction_failed"/);
});

test("an error is stored with any text in its details", async () => {
  const { id: accountId } = await newAccount(fresh.db);
  const id = await newJob(fresh.db, accountId);
  const error = { code: "extraction_failed" as const, message: "no", details: ["/a\u0000: \ud800 \u001b[31m"] };
  await fresh.db.transaction((tx) => failJob(tx, { id, error }));
  const row = await findJob(fresh.db, { id, accountId });
  expect(JSON.parse(row?.errorText ?? "")).toEqual(error);
});
