import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

const read = (args: string, key?: string) => readOptions(args.split(" ").filter(Boolean), { GEMINI_API_KEY: key });

test("without options the open half runs against the emulator", () => {
  const options = read("");
  expect(options?.seeds).toHaveLength(18);
  expect(options?.provider).toBeUndefined();
  expect(options?.facts).toMatchObject({ isLive: false, halves: "open half", budget: "no limit" });
});

test("a live run needs a key and a budget, and continues its own file", () => {
  expect(() => read("--live --budget-tokens 1000")).toThrow("GEMINI_API_KEY");
  expect(() => read("--live", "key")).toThrow("needs a budget");
  expect(() => read("--live --budget-dollars 1", "key")).toThrow("--price-in");
  const live = read("--live --half blinded --budget-dollars 1 --price-in 0.3 --price-out 2.5", "key");
  expect(live).toMatchObject({ provider: { apiKey: "key" }, budget: { dollars: 1 }, facts: { isLive: true } });
  expect(live?.resultsFile).toMatch(/live-blinded\.jsonl$/);
});

test("with PROVIDER=chat, a live run needs the server and its model in place of the key", () => {
  const args = ["--live", "--budget-tokens", "1000"];
  const server = { CHAT_BASE_URL: "http://127.0.0.1:8000/v1", CHAT_MODEL: "seer" };
  expect(() => readOptions(args, { PROVIDER: "chat", CHAT_MODEL: "seer" })).toThrow("CHAT_BASE_URL");
  const live = readOptions(args, { PROVIDER: "chat", ...server });
  expect(live?.provider).toMatchObject({ url: server.CHAT_BASE_URL, chat: { PROVIDER: "chat", ...server } });
  expect(live?.facts.provider).toContain("seer");
});

test.each(["--half both", "--modes kind", "--columns best", "--provider-url here", "--count 0", "--seeds x"])(
  "%s is refused",
  (args) => expect(() => read(args)).toThrow(String(args.split(" ")[0])),
);
