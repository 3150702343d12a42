import { lockAccount, openDatabase } from "@video-to-json/database";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

test("while one account's row is locked, its calls leave the database to other accounts, and continue afterwards", async () => {
  const { url, drop } = await createTestDatabase();
  const api = await startTestApi({ maxJobsPerAccount: 20 }, 30, 0, { databaseUrl: url, databaseRetryMs: 60_000 });
  // A pool of its own: the API's must not be able to end this transaction.
  const operator = openDatabase(url, {
    maxConnections: 1,
    applicationName: "test operator",
  });
  const gone = new AbortController();
  onTestFinished(async () => {
    gone.abort();
    await operator.close();
    await api[Symbol.asyncDispose]();
    await drop();
  });
  const [locked, other] = [await api.newCaller("locked@example.com"), await api.newCaller("other@example.com")];
  const extract = () =>
    fetch(`${api.url}/v1/extract`, {
      method: "POST",
      headers: { ...locked.headers, "content-type": "application/json" },
      body: JSON.stringify({ schema: { a: "string" }, video_url: "http://127.0.0.1:1/v.mp4" }),
      signal: gone.signal,
    }).catch(() => undefined);
  const calls = await operator.db.transaction(async (tx) => {
    await tx.execute("set local idle_in_transaction_session_timeout = 0");
    await lockAccount(tx, locked.accountId);
    const calls = Array.from({ length: 14 }, extract);
    await expect.poll(() => waiting(tx)).toBeGreaterThan(0);
    for (let reading = 0; reading < 20; reading++) {
      const startedAt = performance.now();
      const answer = await fetch(`${api.url}/v1/me`, { headers: other.headers });
      expect(answer.status).toBe(200);
      // Without a limit it would wait until the lock time limit of 15 s has freed a connection.
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect(await waiting(tx)).toBeLessThanOrEqual(2);
    }
    return calls;
  });
  await expect.poll(() => api.openWaits()).toBe(14);
  gone.abort();
  await Promise.all(calls);

  async function waiting(tx: Pick<typeof operator.db, "execute">): Promise<number> {
    const waits = await tx.execute(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return waits.length;
  }
});
