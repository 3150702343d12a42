import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";
import { warnOfLossySettings } from "./inspect-server.ts";
import { openDatabase } from "./open-database.ts";

test.each(["off", "on"])("commits that a crash may lose are reported: synchronous_commit %s", async (value) => {
  const fresh = await freshDatabase();
  const url = `${fresh.url}?synchronous_commit=${value}`;
  const { db, close } = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(async () => {
    await close();
    await fresh[Symbol.asyncDispose]();
  });
  const warnings: object[] = [];
  await warnOfLossySettings(db, { warn: (fields) => void warnings.push(fields) });
  expect(JSON.stringify(warnings).includes("synchronous_commit")).toBe(value === "off");
});
