import { createApiKey } from "@video-to-json/contract";
import { openDatabase } from "@video-to-json/database";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

test("extractions with guessed keys do not delay an extraction from another address", async () => {
  const { url, drop } = await createTestDatabase();
  const api = await startTestApi({ unauthorisedPerMinute: 2 }, 30, 1, { databaseUrl: url });
  const operator = openDatabase(url, {
    maxConnections: 1,
    applicationName: "test operator",
  });
  onTestFinished(async () => {
    await operator.close();
    await api[Symbol.asyncDispose]();
    await drop();
  });
  const { headers } = await api.newCaller("honest@example.com");
  const extract = async (authorization: string, address: string) => {
    const sent = { authorization, "x-forwarded-for": address, "content-type": "text/plain" };
    const answer = await fetch(`${api.url}/v1/extract`, { method: "POST", headers: sent, body: "x" });
    await answer.text();
    return answer.status;
  };
  const guess = () => extract(`Bearer ${createApiKey("v2j").key}`, "203.0.113.1");
  for (let guesses = 0; guesses < 3; guesses++) await guess();

  const calls = await operator.db.transaction(async (tx) => {
    // Inside a transaction, the server's state would look the same in every query.
    const waiting = async () => {
      const waits = await api.db.execute(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waits.length;
    };
    await tx.execute("set local idle_in_transaction_session_timeout = 0");
    await tx.execute("lock table api_keys in access exclusive mode");
    const guesses = Array.from({ length: 20 }, guess);
    await expect.poll(waiting).toBe(1);
    const honest = extract(headers.authorization, "203.0.113.2");
    // Its key is looked up beside the one guess, and not behind the other nineteen.
    await expect.poll(waiting).toBe(2);
    return { guesses, honest };
  });
  expect(await calls.honest).toBe(400);
  expect(new Set(await Promise.all(calls.guesses))).toEqual(new Set([429]));
});
