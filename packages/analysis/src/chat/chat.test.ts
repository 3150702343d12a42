import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { steadyNow } from "@video-to-json/runtime/timing";
import { serveLocally } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Question, VideoFile } from "../analysis-provider.ts";
import { createChatProvider } from "./create-chat-provider.ts";

type Body = {
  model: string;
  messages: { role: string; content: string | Part[] }[];
  response_format?: object;
  [member: string]: unknown;
};
type Part = { type: string; text?: string; image_url?: { url: string } };
type Act = (response: ServerResponse, body: Body) => void;

const schema = { type: "object", properties: { colour: { type: "string" } } };
const question: Question = { model: "small", system: "system", prompt: "the prompt", responseSchema: schema };

const chunk = (members: object) => `data: ${JSON.stringify({ model: "served-model", ...members })}\n\n`;
const says = (delta: object, finish_reason: string | null = null) => chunk({ choices: [{ delta, finish_reason }] });
const counts = (prompt_tokens: number) => chunk({ choices: [], usage: { prompt_tokens, completion_tokens: 5 } });

/** Answers as servers do: the text in two pieces, the end, the tokens. */
function answers(delta: { content?: string; reasoning_content?: string }, finish = "stop", tokens = 5_000): Act {
  return (response) => {
    const [[name, text] = ["content", ""]] = Object.entries(delta);
    const pieces = [text.slice(0, 3), text.slice(3)].map((piece) => says({ [name]: piece }));
    response.end([": comment\n\n", ...pieces, says({}, finish), counts(tokens), "data: [DONE]\n\n"].join(""));
  };
}

const refuses = (status: number, message: string, headers = {}): Act => {
  return (response) => response.writeHead(status, headers).end(JSON.stringify({ error: { message, code: status } }));
};

/** Opens a provider for a server that does these acts in turn, and the last one again and again. */
async function open(acts: Act[], options: Partial<Parameters<typeof createChatProvider>[0]> = {}) {
  const bodies: Body[] = [];
  const pauses: number[] = [];
  const errors: string[] = [];
  const server = await serveLocally(async (request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    await once(request, "end");
    const body = JSON.parse(text);
    bodies.push(body);
    (acts[bodies.length - 1] ?? acts.at(-1))?.(response, body);
  });
  const provider = createChatProvider({
    baseUrl: `${server.url}/v1`,
    models: { small: "small", large: "large", clips: "clips" },
    ...{
      timeText: "MM:SS",
      videoForm: "pictures",
      contextTokens: 32_768,
      extraBody: {},
      price: { input: 1, output: 2, cached: 1 },
    },
    log: { info() {}, warn() {}, error: (_facts, message) => void errors.push(message) },
    clock: { now: steadyNow, wait: async (ms) => void pauses.push(ms) },
    ...options,
  });
  onTestFinished(async () => {
    await provider.close();
    await server[Symbol.asyncDispose]();
  });
  const video: VideoFile = {
    ...{ path: "/none", mimeType: "video/mp4", durationMs: 60_000, hasSound: true, jobId: "job" },
    takePictures: async ({ framesPerSecond, maxPictures, clip }) => {
      const count = Math.min(maxPictures, Math.round((clip ? 4 : 60) * framesPerSecond));
      return Array.from({ length: count }, (_, index) => ({
        ms: (index * 1000) / framesPerSecond,
        jpeg: Buffer.from("jpeg"),
      }));
    },
  };
  const rates: number[] = [];
  video.takeVideo = async ({ framesPerSecond }) => {
    rates.push(framesPerSecond);
    return Buffer.from(`${framesPerSecond} fps`);
  };
  const run = { signal: new AbortController().signal, deadline: new Date(steadyNow() + 60_000) };
  const ask = (more: Partial<Question> = {}) => provider.withVideo(video, run, (ask) => ask({ ...question, ...more }));
  const partsOf = (body: Body | undefined) => {
    const content = body?.messages[1]?.content;
    return Array.isArray(content) ? content : [];
  };
  const picturesIn = (body: Body | undefined) => partsOf(body).filter(({ type }) => type === "image_url").length;
  return { provider, ask, bodies, pauses, errors, rates, partsOf, picturesIn };
}

const right = '{"colour":"red"}';

test("a question holds each picture as data after its time, then the prompt, and the schema for the answer", async () => {
  const { ask, bodies, partsOf } = await open([answers({ content: right })], {
    extraBody: { temperature: 0.5, seed: 1 },
  });
  expect(await ask()).toMatchObject({ text: right, model: "served-model", tokens: { total: 5_005, audio: null } });
  const [body] = bodies;
  expect(body).toMatchObject({ model: "small", stream: true, temperature: 0.5, seed: 1, max_tokens: 8_192 });
  expect(body?.response_format).toMatchObject({ type: "json_schema", json_schema: { schema } });
  const parts = partsOf(body);
  const jpeg = `data:image/jpeg;base64,${Buffer.from("jpeg").toString("base64")}`;
  expect(parts[0]?.text).toContain("nothing can be heard");
  expect(parts.slice(1, 5).map((part) => part.text ?? part.image_url?.url)).toEqual(["00:00", jpeg, "00:01", jpeg]);
  expect(parts.at(-1)).toEqual({ type: "text", text: "the prompt" });
  const urls = JSON.stringify(body).match(/\w+:(?=\/\/|image)/g) ?? [];
  expect(new Set(urls)).toEqual(new Set(["data:"]));
});

test("a clip goes to its own model, with the times of the whole video", async () => {
  const { ask, bodies, partsOf } = await open([answers({ content: right })], { timeText: "seconds" });
  const clip = {
    bytes: Buffer.from("clip"),
    mimeType: "video/mp4",
    durationMs: 4_000,
    fromMs: 61_000,
    framesPerSecond: 2,
  };
  await ask({ clip, check: "second_look" });
  expect(bodies[0]?.model).toBe("clips");
  expect(
    partsOf(bodies[0])
      .flatMap(({ text }) => (text?.startsWith("<") ? [text] : []))
      .slice(0, 3),
  ).toEqual([...["<61.0 seconds>", "<61.5 seconds>", "<62.0 seconds>"]]);
});

test.each(["video_url", "input_video"] as const)(
  "as %s, the whole video is one part, at a lower rate when it is too long",
  async (videoForm) => {
    const refusal = refuses(400, "context length");
    const { ask, bodies, rates, partsOf } = await open([refusal, refusal, answers({ content: right })], { videoForm });
    await ask();
    expect(rates).toEqual([1, 0.5, 0.25]);
    const base64 = Buffer.from("0.25 fps").toString("base64");
    const content = videoForm === "video_url" ? { url: `data:video/mp4;base64,${base64}` } : { data: base64 };
    const parts = partsOf(bodies[2]);
    expect(parts.slice(1)).toEqual([
      { type: videoForm, [videoForm]: content },
      { type: "text", text: "the prompt" },
    ]);
    expect(parts[0]?.text).toMatch(/one picture every 4 s\. .* clock: MM:SS .* nothing can be heard/);
    const clip = {
      bytes: Buffer.from("clip"),
      mimeType: "video/mp4",
      durationMs: 4_000,
      fromMs: 61_000,
      framesPerSecond: 2,
    };
    await ask({ clip, check: "second_look" });
    expect(JSON.stringify(bodies[3])).toContain(clip.bytes.toString("base64"));
    expect(partsOf(bodies[3])[0]?.text).toMatch(/clip\. It has one picture every 0.5 s.* whole video/);
  },
);

test("the last attempt goes to the large model without a schema", async () => {
  const { ask, bodies } = await open([answers({ content: right })]);
  await ask({ model: "large" });
  expect([bodies[0]?.model, bodies[0]?.response_format]).toEqual(["large", undefined]);
});

test.each<[string, Act, string]>([
  ["one fence around an answer is removed", answers({ content: `\`\`\`json\n${right}\n\`\`\`\n` }), right],
  ["nothing else is removed from an answer", answers({ content: `Sure: ${right}` }), `Sure: ${right}`],
  ["an answer in the place of thoughts counts", answers({ reasoning_content: right }), right],
])("%s", async (_name, act, expected) => {
  const { ask } = await open([act]);
  expect((await ask()).text).toBe(expected);
});

test.each<[string, Act, RegExp]>([
  ["cut off for its length", answers({ content: '{"colo' }, "length"), /cut off/],
  ["of a model that declines", answers({ content: "" }, "content_filter"), /declined/],
  ["without a word", answers({ content: "" }), /empty/],
  ["of thoughts only", answers({ reasoning_content: "Well, it may be red." }), /empty/],
  ["to a question that the server cut", answers({ content: right }, "stop", 400), /did not receive the video/],
])("an answer %s is no answer", async (_name, act, reason) => {
  const { ask, bodies } = await open([act]);
  await expect(ask()).rejects.toMatchObject({ name: "NoAnswer", message: expect.stringMatching(reason) });
  expect(bodies).toHaveLength(1);
});

test("a server that refuses a schema is asked without it from then on", async () => {
  const refusal = refuses(400, "failed to parse grammar");
  const { ask, bodies } = await open([refusal, answers({ content: right })]);
  expect([(await ask()).text, (await ask()).text]).toEqual([right, right]);
  expect(bodies.map(({ response_format }) => response_format !== undefined)).toEqual([true, false, false]);
});

test("a server that refuses the length is asked with half of the pictures, twice, and the job ends then", async () => {
  const { ask, bodies, picturesIn } = await open([refuses(400, "maximum context length is 4096 tokens")]);
  await expect(ask()).rejects.toMatchObject({ code: "extraction_failed" });
  expect(bodies.map(picturesIn)).toEqual([60, 30, 15]);
});

test("no more pictures are sent than the context of the model holds", async () => {
  const { ask, bodies, partsOf, picturesIn } = await open([answers({ content: right })], { contextTokens: 4_096 });
  await ask();
  expect(picturesIn(bodies[0])).toBeLessThan(25);
  expect(picturesIn(bodies[0])).toBeGreaterThan(10);
  const times = partsOf(bodies[0]).flatMap(({ text }) => (/^\d\d:\d\d$/.test(text ?? "") ? [text] : []));
  expect([times[0], Number(times.at(-1)?.slice(3)) > 50]).toEqual(["00:00", true]);
});

test("a server that loads its model is asked again when it says, and a check gives way", async () => {
  const busy = refuses(503, "Loading model", { "retry-after": "7" });
  const { ask, bodies, pauses } = await open([busy, busy, answers({ content: right }), busy]);
  expect((await ask()).text).toBe(right);
  expect(pauses.filter((ms) => ms >= 7_000)).toHaveLength(2);
  await expect(ask({ check: "evidence" })).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(bodies).toHaveLength(4);
});

test("a server that fails is asked once more only", async () => {
  const { ask, bodies } = await open([refuses(500, "CUDA out of memory")]);
  await expect(ask()).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(bodies).toHaveLength(2);
});

test("a refusal that only the operator can change ends the job at once, and `access` rejects until a question succeeds", async () => {
  const { ask, bodies, errors, provider } = await open([
    refuses(404, "The model `small` does not exist."),
    answers({ content: right }),
  ]);
  await expect(ask()).rejects.toMatchObject({ code: "provider_unavailable" });
  expect([bodies.length, errors.length]).toEqual([1, 1]);
  await expect(provider.access()).rejects.toThrow("does not exist");
  await ask();
  await provider.access();
});

test("a server that dies in the middle of an answer is noticed, and asked again", async () => {
  const begins = says({ content: '{"col' });
  const silent: Act = (response) => void response.write(begins);
  const closes: Act = (response) => void response.end(begins);
  const { ask, bodies } = await open([silent, closes, answers({ content: right })], { maxSilenceMs: 200 });
  expect((await ask()).text).toBe(right);
  expect(bodies).toHaveLength(3);
});

test("an error within the stream counts as a refusal, and never shows the key", async () => {
  const fails: Act = (response) => void response.end(`data: {"error":{"message":"bad key s3cret","code":401}}\n\n`);
  const { ask, provider } = await open([fails], { apiKey: "s3cret" });
  await expect(ask()).rejects.toMatchObject({ code: "provider_unavailable" });
  await expect(provider.access()).rejects.toThrow("bad key [key]");
});

test("http is refused for a public address, by number and by name", async () => {
  await expect(open([], { baseUrl: "http://8.8.8.8/v1" })).rejects.toThrow("public address");
  const { ask, provider } = await open([], {
    baseUrl: "http://models.example/v1",
    resolve: (_host, _options, callback) => callback(null, [{ address: "8.8.8.8", family: 4 }]),
  });
  await expect(provider.reach()).rejects.toThrow("public address");
  await expect(ask()).rejects.toMatchObject({ code: "provider_unavailable" });
});

test("the check tells whether all pictures arrive, their times are read and a schema is enforced", async () => {
  const seen = [4, 7, 2].map((digit, index) => ({ time: `00:${["05", "14", "23"][index]}`, digit: String(digit) }));
  const good = await open([answers({ content: JSON.stringify({ pictures: seen }) }, "stop", 700)]);
  expect((await good.provider.check("")).map(({ step, isOk }) => `${step} ${isOk}`).slice(0, 4)).toEqual([
    ...["model small true", "pictures of small true", "times of small true", "schema of small true"],
  ]);
  const blind = await open([answers({ content: "00:05 shows 4" }), refuses(404, "no such model")]);
  expect((await blind.provider.check("")).map(({ step, isOk }) => `${step} ${isOk}`)).toEqual([
    ...["model small true", "pictures of small false", "times of small false", "schema of small false"],
    ...["model large false", "model clips false"],
  ]);
});

test("the tokens that the check counts for a picture show that a server cuts a long question", async () => {
  const cut = answers({ content: right }, "stop", 4_096);
  const counted = answers({ content: "{}" }, "stop", 1_200);
  const { ask, provider } = await open([cut, counted, counted, counted, cut]);
  expect((await ask()).text).toBe(right);
  await provider.check("");
  await expect(ask()).rejects.toThrow("did not receive the video");
});
