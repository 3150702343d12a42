import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpeg } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEmulator } from "../emulator.harness.ts";

let folder: string;
let red: object;
let blue: object;
let mp4: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chat-"));
  [red, blue] = [await picture("red"), await picture("blue")];
  const path = join(folder, "video.mp4");
  await ffmpeg(["-f", "lavfi", "-i", "color=red:size=320x228:rate=1:duration=60", path]);
  mp4 = (await readFile(path)).toString("base64");
});
afterAll(() => rm(folder, { recursive: true }));

async function picture(color: string): Promise<object> {
  const path = join(folder, `${color}.jpg`);
  await ffmpeg(["-f", "lavfi", "-i", `color=${color}:size=320x180`, "-frames:v", "1", path]);
  return image(`data:image/jpeg;base64,${(await readFile(path)).toString("base64")}`);
}

const image = (url: string) => ({ type: "image_url", image_url: { url } });
const text = (words: string) => ({ type: "text", text: words });
const cuts = { type: "array", items: { type: "object", properties: { at: { type: "string", description: "MM:SS" } } } };

/** Asks a server, and returns its status with its refusal, or the answer with the tokens of the question. */
async function ask(
  emulator: Awaited<ReturnType<typeof openTestEmulator>>,
  content: readonly object[],
  { schema = {}, model = "emulated-vl", extra = {} }: { schema?: object; model?: string; extra?: object } = {},
) {
  const reply = await emulator.post("/v1/chat/completions", {
    ...{ model, messages: [{ role: "user", content }], max_tokens: 100, stream: true },
    stream_options: { include_usage: true },
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    ...extra,
  });
  if (reply.status !== 200)
    return `${reply.status} ${((await reply.json()) as { error: { message: string } }).error.message}`;
  const read = await reply.text();
  const answer = [...read.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, piece = '""']) => JSON.parse(piece))
    .join("");
  return `200 ${answer} ${/"prompt_tokens":(\d+)/.exec(read)?.[1]}`;
}

test("the answer has the times that stand before the pictures, in both forms and from any start", async () => {
  await using emulator = await openTestEmulator(["--as", "ollama"]);
  const schema = { type: "object", properties: { cuts }, required: ["cuts"] };
  const shown = (write: (second: number) => string) =>
    [0, 2, 4, 6, 8].flatMap((second) => [text(write(second)), second < 6 ? red : blue]);
  expect(
    await ask(
      emulator,
      shown((second) => `00:0${second}`),
      { schema },
    ),
  ).toContain('{"cuts":[{"at":"00:06"}]}');
  expect(
    await ask(
      emulator,
      shown((second) => `<1${second}.0 seconds>`),
      { schema },
    ),
  ).toContain('[{"at":"00:16"}]');
  await emulator.setFaults([{ on: "generate", kind: "times-off" }]);
  expect(
    await ask(
      emulator,
      shown((second) => `00:0${second}`),
      { schema },
    ),
  ).toContain('[{"at":"00:18"}]');
});

const ofType = (schema: object) => ({ schema: { type: "object", properties: { a: schema } } });
const long = "x".repeat(200_000);
const remote = image("http://127.0.0.1/picture.jpg");
const noVideo = { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } };
const asUrl = () => ({ type: "video_url", video_url: { url: `data:video/mp4;base64,${mp4}` } });
const asText = (data = mp4) => ({ type: "input_video", input_video: { data } });

test.each<[what: string, content: () => object[], options: object, refusals: Record<string, RegExp>]>([
  ["an address of a picture", () => [remote], {}, { vllm: /^400/, "llama.cpp": /^400/, ollama: /^400/ }],
  [
    "a video as an address",
    () => [asUrl()],
    {},
    { vllm: /^200/, "llama.cpp": /^400 unsupported/, ollama: /^400 invalid message format/ },
  ],
  [
    "a video as text",
    () => [asText()],
    {},
    { vllm: /^400 Unknown part type/, "llama.cpp": /^200/, ollama: /^400 invalid message format/ },
  ],
  ["bytes that are not a video", () => [noVideo], {}, { vllm: /^400/ }],
  ["an address where llama.cpp wants text", () => [asText(asUrl().video_url.url)], {}, { "llama.cpp": /^400/ }],
  ["two videos", () => [asUrl(), asUrl()], {}, { vllm: /^400 At most 1 video/ }],
  ["another model", () => [red], { model: "m" }, { vllm: /^404/, "llama.cpp": /^200/, ollama: /^404 .*pulling/ }],
  [
    "a long question",
    () => [text(long)],
    {},
    { vllm: /^400 .*context length/, "llama.cpp": /^400 .*context size/, ollama: /^200 .* 32768$/ },
  ],
  [
    "601 pictures",
    () => Array(601).fill(red),
    {},
    { vllm: /^400 At most 600/, "llama.cpp": /^400 .*context/, ollama: /^200/ },
  ],
  [
    "a free pattern",
    () => [red],
    ofType({ pattern: "a" }),
    { vllm: /^200/, "llama.cpp": /^400 .*Pattern/, ollama: /^200/ },
  ],
  [
    "a class in a pattern",
    () => [red],
    ofType({ pattern: "^\\d$" }),
    { vllm: /^200/, "llama.cpp": /^400 .*grammar/, ollama: /^200/ },
  ],
  [
    "a long list",
    () => [red],
    ofType({ maxItems: 5_000 }),
    { vllm: /^200/, "llama.cpp": /^400 .*grammar/, ollama: /^200/ },
  ],
  [
    "a schema of true",
    () => [red],
    { schema: { properties: { a: true } } },
    { vllm: /^200/, "llama.cpp": /^400/, ollama: /^200/ },
  ],
])("each server takes or refuses %s as the real one", async (_what, content, options, refusals) => {
  for (const [server, refusal] of Object.entries(refusals)) {
    await using emulator = await openTestEmulator(["--as", server]);
    expect(await ask(emulator, content(), options), server).toMatch(refusal);
  }
});

test("vLLM looks at 32 pictures of a video unless the question asks for all", async () => {
  await using emulator = await openTestEmulator(["--as", "vllm"]);
  const tokens = async (extra: object) => Number(/ (\d+)$/.exec(await ask(emulator, [asUrl()], { extra }))?.[1]);
  const [some, all] = [await tokens({}), await tokens({ media_io_kwargs: { video: { num_frames: -1 } } })];
  expect(all / some).toBeCloseTo(60 / 32, 1);
});

test("a server that cuts questions answers 200, and counts what is left", async () => {
  await using emulator = await openTestEmulator(["--as", "ollama"]);
  await emulator.setFaults([{ on: "generate", kind: "cut-prompt" }]);
  expect(await ask(emulator, Array(100).fill(red))).toMatch(/^200 .* 4096$/);
});

test("an unknown server is refused at the start", async () => {
  await expect(openTestEmulator(["--as", "lmstudio"])).rejects.toThrow(
    "--as must be gemini, vertex, vllm, llama.cpp, ollama",
  );
});
