import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { expect, test } from "vitest";
import { noPrebuilt } from "./llama-node.ts";
import { pictureTokens } from "./models.ts";
import { startLlama } from "./start-llama.ts";

/** Starts a service whose worker asks real llama.cpp. */
async function startWith(url: string, contextTokens: number) {
  const settings = { PROVIDER: "chat", CHAT_BASE_URL: `${url}/v1`, CHAT_MODEL: "random", GEMINI_API_KEY: "" };
  return startService({ env: { ...settings, CHAT_CONTEXT_TOKENS: String(contextTokens) } });
}

// Whatever a grammar lets through conforms, because no place is open.
const sketch = {
  team: "red|green|blue",
  goal: { minute: "integer", own: "boolean", half: "first|second" },
  ok: "boolean",
};
const body = { schema: JSON.stringify(sketch) };

test.skipIf(noPrebuilt)("real llama.cpp reads pictures and schema, and its answer conforms", async () => {
  await using llama = await startLlama(32_768);
  await using service = await startWith(llama.url, 16_384);
  const before = await service.secondsRemaining();
  const { status, text, body: answer } = await service.extract(body);
  expect([status, text]).toEqual([
    200,
    expect.stringMatching(/"data":\{"team":.*"goal":\{"minute":.*"own":.*"half":.*\},"ok":/),
  ]);
  expect(answer.data).toEqual({
    team: expect.stringMatching(/^(red|green|blue)$/),
    goal: { minute: expect.any(Number), own: expect.any(Boolean), half: expect.stringMatching(/^(first|second)$/) },
    ok: expect.any(Boolean),
  });
  expect([answer.billed_seconds, before - (await service.secondsRemaining())]).toEqual([60, 60]);
  const asked = await llama.asked();
  expect(asked).toMatchObject([{ refusal: null }]);
  // The clip is red at first, and blue in its last second.
  expect([asked[0]?.pictures.length, new Set(asked[0]?.pictures).size > 1]).toEqual([5, true]);
  expect(asked[0]?.tokens).toBeGreaterThan(5 * pictureTokens);
  expect(JSON.parse((await service.read(`/v1/jobs/${answer.id}`)).text)).toMatchObject({ model: "random" });
  await untilNothingIsLeft(service);
});

test.skipIf(noPrebuilt)(
  "real llama.cpp refuses what its context does not hold, and is asked with half of the pictures",
  async () => {
    await using llama = await startLlama(4_096);
    await using service = await startWith(llama.url, 131_072);
    const video = await service.videoOf(60);
    const picturesAsked = async () => (await llama.asked()).map(({ pictures, refusal }) => [pictures.length, refusal]);
    expect((await service.extract({ ...body, video })).status).toBe(200);
    const refused = expect.stringContaining("context");
    expect(await picturesAsked()).toEqual([
      ...[
        [60, refused],
        [30, null],
      ],
    ]);
    const left = await service.secondsRemaining();
    const instructions = "Look closely. ".repeat(140);
    const { status, body: answer } = await service.extract({ ...body, video, instructions });
    expect([status, answer.error.code]).toEqual([422, "extraction_failed"]);
    expect((await picturesAsked()).slice(2)).toEqual([60, 30, 15].map((count) => [count, refused]));
    expect(await service.secondsRemaining()).toBe(left);
    await untilNothingIsLeft(service);
  },
);
