import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { configurationDocument } from "./documentation.ts";
import { envExample } from "./env-example.ts";
import { limitSettings, limitsOf } from "./limits.ts";
import { readSettings } from "./read-settings.ts";

test("all invalid settings are listed at once, without secrets", () => {
  const env = { PORT: "eighty", DATABASE_URL: "mysql://user:hunter2@host/db", FETCH_ALLOW_HOSTS: "nohost" };
  const read = () => readSettings(env, ["PORT", "DATABASE_URL", "FETCH_ALLOW_HOSTS", "REDIS_URL", "HOST"]);
  expect(read).toThrow(/PORT[\s\S]*DATABASE_URL[\s\S]*FETCH_ALLOW_HOSTS[\s\S]*REDIS_URL: is required/);
  expect(read).not.toThrow(/hunter2/);
});

test.each([
  ["redis+sentinel://host:26379/mymaster", "REDIS_URL"],
  ["redis://one:6379,two:6379", "REDIS_URL"],
  ["postgres://user:hunter2@one,two/db?target_session_attrs=primary", "DATABASE_URL"],
] as const)("an address that does not lead to one primary is refused with the reason (%s)", (url, name) => {
  const read = () => readSettings({ [name]: url }, [name]);
  expect(read).toThrow(`${name}: names Redis Sentinel or several hosts; name one address that leads to the primary`);
  expect(read).not.toThrow(/hunter2/);
});

test("an empty value counts as not set, and the default applies", () => {
  expect(readSettings({ PORT: "", PUBLIC_URL: "" }, ["PORT", "PUBLIC_URL"])).toEqual({
    PORT: 3000,
    PUBLIC_URL: [],
  });
});

test("host:port pairs are read as a list", () => {
  const { FETCH_ALLOW_HOSTS } = readSettings({ FETCH_ALLOW_HOSTS: "127.0.0.1:80, Media.internal:8443,[::1]:9" }, [
    "FETCH_ALLOW_HOSTS",
  ]);
  expect(FETCH_ALLOW_HOSTS).toEqual(["127.0.0.1:80", "media.internal:8443", "[::1]:9"]);
});

test("the limits have their defaults unless the environment sets them", () => {
  expect(limitsOf(readSettings({}, limitSettings))).toEqual(defaultLimits);
  expect(limitsOf(readSettings({ MAX_VIDEO_SECONDS: "30" }, limitSettings)).maxVideoSeconds).toBe(30);
});

test("settings that contradict each other or the service are refused", () => {
  const orphan = () => readSettings({ ORPHAN_UPLOAD_SECONDS: "300" }, ["ORPHAN_UPLOAD_SECONDS"]);
  expect(orphan).toThrow(/ORPHAN_UPLOAD_SECONDS: "300" is not a whole number from 330/);
  const limits = () => limitsOf(readSettings({ IDEMPOTENCY_HOURS: "1", JOB_TIMEOUT_SECONDS: "3601" }, limitSettings));
  expect(limits).toThrow(/IDEMPOTENCY_HOURS: is shorter than JOB_TIMEOUT_SECONDS/);
});

test("four prices are read, and anything else is refused", () => {
  const read = (text: string) => readSettings({ GEMINI_USD_PER_MILLION: text }, ["GEMINI_USD_PER_MILLION"]);
  expect(read("0.10, 0.40,1.25,10").GEMINI_USD_PER_MILLION).toEqual({
    small: { input: 0.1, output: 0.4 },
    large: { input: 1.25, output: 10 },
  });
  for (const text of ["1", "1,2,3", "1,2,3,4,5", "1,2,3,-4", "1,2,3,x", "1,2,3,1e9"]) {
    expect(() => read(text)).toThrow("four numbers");
  }
});

test("docs/configuration.md matches the declaration", async () => {
  await expect(configurationDocument()).toMatchFileSnapshot("../../../../docs/configuration.md");
});

test("infra/.env.example matches the declaration", async () => {
  await expect(envExample()).toMatchFileSnapshot("../../../../infra/.env.example");
});
