import { afterAll, beforeAll, expect, test } from "vitest";
import { sendError, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());

const question = { model: "small", system: "rules", prompt: "question", responseSchema: null } as const;

/** Asks once, with one refusal, and then again. Returns what the access says after each. */
async function refuseOnce(call: "start" | "generate", status: number, message: string) {
  await using server = await startFaultServer();
  const opened = openTestGemini(server.url, { headers: { "x-gateway-key": "gateway-secret" } });
  const run = async () => {
    await opened.gemini.withVideo(file.video, jobRun(), (ask) => ask(question)).catch(() => {});
    return opened.gemini.access().catch((error: Error) => error.message);
  };
  server.next(call, ({ response }) => sendError(response, status, message));
  const said = [await run(), await run()];
  await opened.gemini.close();
  return { said, logged: opened.logged };
}

test.each([
  ["generate", 400, "API key not valid. Please pass a valid API key.", "GEMINI_API_KEY"],
  ["generate", 401, "Request had invalid authentication credentials.", "GEMINI_API_KEY"],
  ["generate", 402, "Your prepayment credits are depleted.", "Pay the balance"],
  ["generate", 429, "Your project has exceeded its monthly spending cap.", "Pay the balance"],
  ["start", 403, "The caller does not have permission", "Give the key's project"],
  ["generate", 404, "models/small-1 is not found for API version v1beta.", "GEMINI_MODEL"],
] as const)("a %s that is refused with %i (%s) is the operator's, until the same succeeds", async (...refused) => {
  const [call, status, message, advice] = refused;
  const { said, logged } = await refuseOnce(call, status, message);
  expect(said[0]).toContain(message);
  expect(said[0]).toContain(advice);
  expect(said[1]).toBeUndefined();
  expect(logged).toContainEqual(expect.objectContaining({ msg: "provider refuses", providerError: message }));
});

test.each([
  ["generate", 403, "You do not have permission to access the File x or it may not exist."],
  ["generate", 429, "Resource has been exhausted (e.g. check quota)."],
  ["generate", 503, "The model is overloaded."],
  ["generate", 400, "Request contains an invalid argument."],
  ["start", 500, "An internal error has occurred."],
] as const)("a %s that fails with %i (%s) is not the operator's", async (call, status, message) => {
  const { said, logged } = await refuseOnce(call, status, message);
  expect(said).toEqual([undefined, undefined]);
  expect(logged).not.toContainEqual(expect.objectContaining({ msg: "provider refuses" }));
});

test("neither the access nor the log tells the key or a header, although the provider's words contain them", async () => {
  const words = "Consumer 'api_key:test-key-1' of 'gateway-secret' has been suspended.";
  const { said, logged } = await refuseOnce("generate", 403, words);
  expect(said[0]).toContain("api_key:[key]' of '[key]'");
  expect(JSON.stringify(logged)).not.toMatch(/gateway-secret|test-key-1/);
});
