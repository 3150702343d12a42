import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { emulatorControl, freePort, runsAllTests } from "@video-to-json/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const sketch = { main_color: "red|green|blue", cuts: [{ at: "timestamp" }] };
const truth = { main_color: "red", cuts: [{ at: "00:04" }] };

/** Starts a service whose worker asks an emulator of this server, without any setting of Gemini. */
function startWith(server: string, env: Record<string, string> = {}): Promise<Service> {
  return startService({
    emulatorAs: server,
    env: {
      PROVIDER: "chat",
      CHAT_MODEL: "emulated-vl",
      CHAT_MODEL_LARGE: "emulated-vl-large",
      GEMINI_API_KEY: "",
      ...env,
    },
    settingsOf: async (_part, { emulatorUrl }) => ({ CHAT_BASE_URL: `${emulatorUrl}/v1` }),
  });
}

const body = (extra: object = {}) => ({ schema: JSON.stringify(sketch), ...extra });

test.each(["llama.cpp", "ollama"])("a service with %s answers, and bills as with any provider", async (server) => {
  await using service = await startWith(server);
  const { status, body: answer } = await service.extract(body());
  expect([status, answer.data, answer.billed_seconds]).toEqual([200, truth, 60]);
  const record = JSON.parse((await service.read(`/v1/jobs/${answer.id}`)).text);
  expect(record).toMatchObject({ status: "succeeded", model: "emulated-vl" });
});

test.each([
  ["llama.cpp", "input_video"],
  ["vllm", "video_url"],
])("a service with %s sends the video itself, and clips for the second look and evidence", async (server, form) => {
  await using service = await startWith(server, { CHAT_VIDEO: form });
  const asked = { "second-look": "times", "extract-evidence": "fields" };
  const { status, body: answer, headers } = await service.extract(body(), asked);
  expect([status, answer.data]).toEqual([200, truth]);
  expect(headers.get("second-look-result")).toMatch(/^confirmed=1\b/);
  const evidence = JSON.parse((await service.read(`/v1/jobs/${answer.id}/evidence`)).text);
  expect(evidence.fields["/cuts/0/at"]).toMatchObject({ verdict: "confirmed" });
  const clipped = await service.extract(body({ clip: JSON.stringify({ start: "00:02" }) }));
  expect([clipped.status, clipped.body.data]).toEqual([200, truth]);
  const { generateLog } = await emulatorControl(service.facts.emulatorUrl).state();
  expect(generateLog.length).toBeGreaterThan(2);
  expect(generateLog.every(({ videoPart }) => videoPart)).toBe(true);
  await untilNothingIsLeft(service);
});

test.runIf(runsAllTests)(
  "with a fallback, no job is lost while the provider is down, none is charged twice, and no copy is left",
  async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    await using service = await startWith("vllm", {
      ...{ PROVIDER: "gemini", PROVIDER_FALLBACK: "chat" },
      ...{ GEMINI_API_KEY: "key", GEMINI_BASE_URL: nobody, PROVIDER_CHECK: "off" },
    });
    const before = await service.secondsRemaining();
    const answers = await Promise.all(Array.from({ length: 3 }, () => service.extract(body())));
    expect(answers.map(({ status, body: answer }) => [status, answer.data])).toEqual(Array(3).fill([200, truth]));
    expect(before - (await service.secondsRemaining())).toBe(180);
    const record = JSON.parse((await service.read(`/v1/jobs/${answers[0]?.body.id}`)).text);
    expect(record.model).toBe("emulated-vl");
    await untilNothingIsLeft(service);
  },
);

describe("a service with vLLM", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startWith("vllm");
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const emulator = () => emulatorControl(service.facts.emulatorUrl);

  test("answers from pictures and their times, and the record names the model that answered", async () => {
    const { status, body: answer } = await service.extract(body());
    expect([status, answer.data]).toEqual([200, truth]);
    expect(JSON.parse((await service.read(`/v1/jobs/${answer.id}`)).text).model).toBe("emulated-vl");
    const { generateLog } = await emulator().state();
    expect(generateLog).toMatchObject([{ model: "emulated-vl", hasSchema: true, videoPart: true }]);
  });

  test.each<[string, object, number]>([
    ["is cut off for its length", { kind: "max-tokens" }, 2],
    ["has times off by a factor", { kind: "times-off" }, 2],
    ["ignores the schema", { kind: "ignore-schema" }, 2],
    ["stops in the middle of its stream", { kind: "drop", afterBytes: 400 }, 2],
    ["meets an overload at first", { kind: "status", status: 503 }, 2],
    ["is in a fence", { kind: "fences" }, 1],
    ["is where thoughts belong", { kind: "answer-as-thought" }, 1],
    ["comes after thoughts", { kind: "thoughts" }, 1],
  ])("gets the right answer although an answer %s", async (_name, fault, questions) => {
    const before = (await emulator().state()).requests.generate ?? 0;
    await emulator().setFaults([{ on: "generate", ...fault }]);
    const { status, body: answer } = await service.extract(body());
    expect([status, answer.data]).toEqual([200, truth]);
    const { requests, faultsLeft } = await emulator().state();
    expect([(requests.generate ?? 0) - before, faultsLeft]).toEqual([questions, 0]);
  });

  test("looks again at times in clips and gathers evidence, in pictures with the clock of the whole video", async () => {
    const asked = { "second-look": "times", "extract-evidence": "fields" };
    const { status, body: answer, headers } = await service.extract(body({ detail: "low" }), asked);
    expect([status, answer.data]).toEqual([200, truth]);
    expect(headers.get("second-look-result")).toMatch(/^confirmed=1\b/);
    const evidence = JSON.parse((await service.read(`/v1/jobs/${answer.id}/evidence`)).text);
    expect(evidence.fields["/cuts/0/at"]).toMatchObject({ verdict: "confirmed", spans: [{ start_ms: 4_000 }] });
  });

  test("names the model that the server does not have, to the operator and not to the caller", async () => {
    await emulator().setFaults([{ on: "generate", kind: "status", status: 404, message: "no such model", times: 1 }]);
    const { status, body: answer } = await service.extract(body());
    expect([status, answer.error.code, answer.error.message.includes("model")]).toEqual([
      503,
      "provider_unavailable",
      false,
    ]);
    await untilNothingIsLeft(service);
  });
});
