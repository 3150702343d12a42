import { openDatabase } from "@video-to-json/database";
import { createTestDatabase, runsAllTests } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { ruleOf } from "./audit.ts";
import { sampleEvidence } from "./evidence.fixture.ts";
import { findUnmissedTables, plantInEachColumn } from "./plants.ts";
import { readRecords } from "./records.ts";

// The audit finds a change of all other columns. Each of these has a reason in its rule.
const free = [
  ...["jobs.attempts", "jobs.cancellable", "jobs.open_claims", "job_waiters.call_id", "accounts.tokens"],
  ...["accounts.processor_ms", "accounts.microdollars", "queue_accounts.fetches"],
  ...["ledger.id", "workers.id", "maintenance.fence"],
  "refused_requests.request_id",
];

test("the audit finds a change of each column that the database has, but of the free ones", async () => {
  const { url, drop } = await createTestDatabase();
  const { db, close } = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(async () => {
    await close();
    await drop();
  });
  const { columns } = await readRecords(db);
  const unknown = columns.filter(({ table, column }) => ruleOf(table, column) === undefined);
  expect(unknown).toEqual([]);
  for (let seed = 1; seed <= (runsAllTests ? 20 : 6); seed++) {
    const { evidence } = sampleEvidence();
    const plants = plantInEachColumn({ ...evidence, records: { ...evidence.records, columns } }, seed);
    const missed = plants.filter((plant) => !plant.found);
    expect(missed.filter((plant) => plant.free === undefined)).toEqual([]);
    expect(free).toEqual(expect.arrayContaining(missed.map(({ column }) => column)));
  }
});

test("the audit finds a row that is gone, of each table but those that the service can write again", () => {
  const { evidence } = sampleEvidence();
  // Checkpoints are sums of the ledger, waiters of finished jobs say nothing, a task without a row gets one, and a killed
  // API forgets the refusals that it counted.
  const unmissed = ["job_waiters", "ledger_checkpoints", "maintenance", "refused_requests"];
  expect([...findUnmissedTables(evidence)].sort()).toEqual(unmissed);
});
