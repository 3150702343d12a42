import { openDatabase } from "@video-to-json/database";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

test("while a burst of extractions waits for the database, a read of another account does not wait for them", async () => {
  const { url, drop } = await createTestDatabase();
  const api = await startTestApi({}, 30, 0, { databaseUrl: url, databaseRetryMs: 60_000 });
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
  const callers = await Promise.all(Array.from({ length: 20 }, (_, n) => api.newCaller(`burst-${n}@example.com`)));
  const reader = await api.newCaller("reader@example.com");
  const extract = ({ headers }: (typeof callers)[number]) =>
    fetch(`${api.url}/v1/extract`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "idempotency-key": "k" },
      body: JSON.stringify({ schema: { a: "string" }, video_url: "http://127.0.0.1:1/v.mp4" }),
      signal: gone.signal,
    }).catch(() => undefined);
  const calls = await operator.db.transaction(async (tx) => {
    await tx.execute("set local idle_in_transaction_session_timeout = 0");
    await tx.execute("lock table idempotency_keys in access exclusive mode");
    const calls = callers.map(extract);
    await expect.poll(() => waiting(tx)).toBeGreaterThan(1);
    for (let reading = 0; reading < 20; reading++) {
      const answer = await fetch(`${api.url}/v1/me`, { headers: reader.headers, signal: AbortSignal.timeout(5_000) });
      expect(answer.status).toBe(200);
    }
    return calls;
  });
  await expect.poll(() => api.openWaits()).toBe(20);
  gone.abort();
  await Promise.all(calls);

  async function waiting(tx: Pick<typeof operator.db, "execute">): Promise<number> {
    const waits = await tx.execute(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return waits.length;
  }
});
