import { afterAll, beforeAll, expect, test } from "vitest";
import { startDashboard } from "../dashboard.harness.ts";
import { sendMinuteMails } from "./minute-mails.ts";
import type { Message } from "./open-mailer.ts";

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard();
});
afterAll(() => site[Symbol.asyncDispose]());

const options = { minimumBilledSeconds: 60, moreMinutes: "Ask us.", publicUrl: "https://api.example.com/" };

/** Sends the mails that are due, and returns those to one address. */
async function mailsTo(email: string): Promise<Message[]> {
  const sent: Message[] = [];
  await sendMinuteMails({ db: site.db, mailer: { kind: "smtp", send: (message) => sent.push(message) } }, options);
  return sent.filter(({ to }) => to === email);
}

async function withKey(monthly_limit_minutes: number | null) {
  const { browser, accountId, email } = await site.signedIn();
  const body = { name: "ci", scope: "extract", monthly_limit_minutes, ends_at: null };
  const { record } = await browser.json("POST", "/keys", body);
  const spend = (seconds: number, keyId = record.id) =>
    site.db.execute(`insert into daily_usage (account_id, key_id, day, seconds, jobs)
      values ('${accountId}', '${keyId}', (now() at time zone 'UTC')::date, ${seconds}, 1)
      on conflict on constraint daily_usage_day do update set seconds = daily_usage.seconds + excluded.seconds`);
  return { browser, email, id: record.id, spend };
}

test("an account gets one mail at 80 percent, and one that says how to get more minutes when it cannot pay another job", async () => {
  const { email, spend } = await withKey(null);
  await spend(1439);
  expect(await mailsTo(email)).toEqual([]);
  await spend(1);
  expect(await mailsTo(email)).toMatchObject([{ text: expect.stringContaining("80 percent of its minutes") }]);
  expect(await mailsTo(email)).toEqual([]);
  await spend(330);
  const [mail, ...others] = await mailsTo(email);
  expect(others).toEqual([]);
  expect(mail?.text).toContain("Ask us.");
  expect(mail?.text).toContain("https://api.example.com/dashboard/usage");
  expect(await mailsTo(email)).toEqual([]);
});

test("a key and the key that replaces it get one mail for the limit that they share", async () => {
  const { browser, email, id, spend } = await withKey(5);
  const { record } = await browser.json("POST", `/keys/${id}/rotate`, { overlap: "week" });
  await spend(150);
  await spend(150, record.id);
  expect(await mailsTo(email)).toMatchObject([{ text: expect.stringMatching(/^The key “ci” has used up/) }]);
  expect(await mailsTo(email)).toEqual([]);
});

test("a person who switched the mails off gets none, and ten senders at once send each mail once", async () => {
  const silent = await withKey(null);
  expect(await silent.browser.get("/account/mails")).toEqual({ minutes: true });
  expect(await silent.browser.json("PUT", "/account/mails", { minutes: false })).toEqual({ minutes: false });
  await silent.spend(1800);
  expect(await mailsTo(silent.email)).toEqual([]);
  const other = await withKey(null);
  await other.spend(1800);
  const sent = await Promise.all(Array.from({ length: 10 }, () => mailsTo(other.email)));
  expect(sent.flat()).toHaveLength(1);
});
