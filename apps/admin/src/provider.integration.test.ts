import { type Emulator, startEmulator } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { run } from "./program.ts";

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ processingMs: 0 });
});
afterAll(() => emulator.stop());
beforeEach(() => emulator.setFaults([]));

async function check(env: Record<string, string> = {}) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const settings = { GEMINI_API_KEY: "key", GEMINI_BASE_URL: emulator.url, ...env };
  const exitCode = await run({ env: settings, print }, ["provider", "check"], () => {});
  return { lines, exitCode };
}

test("a provider that does everything passes each step of the check, and keeps no file", async () => {
  const { lines, exitCode } = await check();
  expect(lines).toEqual([
    "ok      key",
    "ok      upload",
    "ok      model gemini-3.5-flash-lite",
    "ok      model gemini-3.8-flash",
    "ok      delete",
  ]);
  expect(exitCode).toBe(0);
  expect((await emulator.state()).files).toBe(0);
});

test("a wrong key fails the check with the provider's words and what to do", async () => {
  const { lines, exitCode } = await check({ GEMINI_API_KEY: "invalid" });
  expect(lines[0]).toMatch(/^failed {2}key: API key not valid.* Put a valid key into GEMINI_API_KEY/);
  expect(exitCode).toBe(1);
});

test("a retired model and a missing right to upload each fail their own step only", async () => {
  await emulator.setFaults([{ on: "start", kind: "status", status: 403, times: -1 }]);
  const { lines } = await check({ GEMINI_MODEL: "gemini-1.5-flash" });
  expect(lines).toEqual([
    "ok      key",
    expect.stringMatching(/^failed {2}upload: The caller does not have permission Give the key/),
    expect.stringMatching(/^failed {2}model gemini-1.5-flash: models\/gemini-1.5-flash is not found.* Name another/),
    "ok      model gemini-3.8-flash",
  ]);
});

test("a server of chat completions is checked without a key of Gemini, and says which model it does not have", async () => {
  const server = await startEmulator({ as: "vllm" });
  onTestFinished(() => server.stop());
  const chat = { PROVIDER: "chat", GEMINI_API_KEY: "", CHAT_BASE_URL: `${server.url}/v1`, CHAT_MODEL: "emulated-vl" };
  const { lines, exitCode } = await check({ ...chat, CHAT_MODEL_LARGE: "retired" });
  expect(lines[0]).toBe("ok      model emulated-vl");
  expect(lines.at(-1)).toMatch(/^failed {2}model retired: 404: The model `retired` does not exist\. See the words/);
  expect(exitCode).toBe(1);
});
