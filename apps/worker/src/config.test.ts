import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

const env = {
  DATABASE_URL: "postgres://127.0.0.1/none",
  REDIS_URL: "redis://127.0.0.1",
  STORAGE_URL: "file:///tmp/none",
  GEMINI_API_KEY: "key",
};
const chat = { ...env, PROVIDER: "chat", CHAT_BASE_URL: "http://127.0.0.1/v1", CHAT_MODEL: "seer" };

test("a server of chat completions gets two jobs at once, unless the operator says another number", () => {
  expect(readConfig(env).GLOBAL_CONCURRENCY).toBe(50);
  expect(readConfig(chat).GLOBAL_CONCURRENCY).toBe(2);
  expect(readConfig({ ...chat, GLOBAL_CONCURRENCY: "9" }).GLOBAL_CONCURRENCY).toBe(9);
});

test("a fallback needs the settings of both providers, and is another one than the first", () => {
  expect(readConfig({ ...chat, PROVIDER_FALLBACK: "gemini" }).PROVIDER_FALLBACK).toBe("gemini");
  expect(() => readConfig({ ...env, PROVIDER_FALLBACK: "chat" })).toThrow(/CHAT_BASE_URL.*CHAT_MODEL/s);
  expect(() => readConfig({ ...chat, GEMINI_API_KEY: "", PROVIDER_FALLBACK: "gemini" })).toThrow("GEMINI_API_KEY");
  expect(() => readConfig({ ...env, PROVIDER_FALLBACK: "gemini" })).toThrow("names PROVIDER itself");
});
