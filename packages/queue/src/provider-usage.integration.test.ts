import { askRedis, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openProviderUsage } from "./provider-usage.ts";
import { ownRedis } from "./testing/queue.harness.ts";

type Place = { url: string; prefix?: string };
type Options = Partial<
  Pick<Parameters<typeof openProviderUsage>[0], "dollarsPerDay" | "dollarsPerAccountAndDay" | "limits">
>;

// The time stands still, so that no test begins in one minute or day and ends in the next.
const startedAt = Date.now();
const now = () => startedAt;

function open(
  { url, prefix = "v2j" }: Place,
  { dollarsPerDay = 10, dollarsPerAccountAndDay = 0, limits = {} }: Options = {},
) {
  const usage = openProviderUsage({
    redisUrl: url,
    prefix,
    dollarsPerDay,
    dollarsPerAccountAndDay,
    limits,
    onError: () => {},
    now,
  });
  onTestFinished(() => usage.close());
  return usage;
}

test("all workers together count the dollars of a day, also one that starts later", async () => {
  const redis = testRedis();
  const [one, other] = [open(redis), open(redis)];
  one.spending.add(3);
  other.spending.add(4.5);
  const later = open(redis);
  for (const { spending } of [one, other, later]) await expect.poll(() => spending.share()).toBeCloseTo(0.75, 6);
});

test("all workers together count what an account costs in a day, and no other account", async () => {
  const redis = testRedis();
  const [one, other] = [open(redis, { dollarsPerAccountAndDay: 2 }), open(redis, { dollarsPerAccountAndDay: 2 })];
  one.accounts.add("a", 1.5);
  expect(one.accounts.isOver("a")).toBe(false);
  other.accounts.add("a", 0.6);
  for (const { accounts } of [one, other]) await expect.poll(() => accounts.isOver("a")).toBe(true);
  expect(one.accounts.isOver("b")).toBe(false);
});

test("without limits the counter opens no connection", async () => {
  const usage = open({ url: "redis://127.0.0.1:9" }, { dollarsPerDay: 0 });
  usage.spending.add(1000);
  usage.limits.ask("m");
  usage.accounts.add("a", 1000);
  expect([usage.spending.share(), usage.limits.waitMs("m", true), usage.accounts.isOver("a")]).toEqual([0, 0, false]);
});

test("while Redis is away, a worker counts for itself", async () => {
  await using redis = await ownRedis();
  const { spending } = open(redis);
  spending.add(2);
  await expect.poll(() => askRedis(redis.url, "KEYS v2j:provider:dollars:*")).not.toEqual([]);
  await redis.stop();
  spending.add(3);
  expect(spending.share()).toBeCloseTo(0.5, 6);
});

test.each([
  ["questions a minute", { questions: 5 }, 60_000],
  ["tokens a minute", { tokens: 500 }, 60_000],
  ["questions a day", { questionsADay: 5 }, 86_400_000],
  ["dollars in ten minutes", { dollarsInTenMinutes: 10 }, 600_000],
])(
  "all workers together keep within the %s of a model; optional questions stop earlier",
  async (_name, limit, most) => {
    const redis = testRedis();
    const [one, other] = [open(redis, { limits: { m: limit } }), open(redis, { limits: { m: limit } })];
    const ask = ({ limits }: typeof one) => {
      limits.ask("m");
      limits.use("m", 100, 2);
    };
    for (const worker of [one, other, one]) ask(worker);
    expect(one.limits.waitMs("m", true)).toBe(0);
    ask(other);
    await expect.poll(() => one.limits.waitMs("m", true)).toBeGreaterThan(0);
    expect(one.limits.waitMs("m", false)).toBe(0);
    ask(one);
    await expect.poll(() => other.limits.waitMs("m", false)).toBeGreaterThan(0);
    expect(other.limits.waitMs("m", false)).toBeLessThanOrEqual(most);
    expect(other.limits.waitMs("another", false)).toBe(0);
  },
);
