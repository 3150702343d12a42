import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEmulator, refusal } from "../emulator.harness.ts";

let folder: string;
let clip: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "generate-"));
  const path = join(folder, "clip.mp4");
  const scenes = [
    { seconds: 2, color: "red", text: "Opening Title", sound: "tone" as const },
    { seconds: 3, color: "green", moving: true },
    { seconds: 1, color: "black" },
    { seconds: 2, color: "green", sound: "tone" as const, moving: true },
  ];
  await makeVideo({ scenes }, path);
  clip = new Uint8Array(await readFile(path));
});

afterAll(() => rm(folder, { recursive: true }));

const schema = {
  type: "object",
  properties: {
    cuts: { type: "array", items: { type: "object", properties: { at: { type: "string" } }, required: ["at"] } },
    title_card: { type: "string" },
    main_color: { type: "string", enum: ["red", "green", "blue"] },
  },
  required: ["cuts", "main_color"],
};
const truth = { cuts: ["00:02", "00:05", "00:06"].map((at) => ({ at })), main_color: "green" };

type Response200 = {
  candidates?: { content?: { parts?: { text: string; thought?: boolean }[] }; finishReason: string }[];
  promptFeedback?: { blockReason: string };
  usageMetadata: { promptTokensDetails: { modality: string; tokenCount: number }[] };
};

function question(uri: string, config: object = { responseJsonSchema: schema }, text = "Describe.") {
  const video = { fileData: { fileUri: uri, mimeType: "video/mp4" } };
  const generationConfig = { responseMimeType: "application/json", ...config };
  return { contents: [{ role: "user", parts: [video, { text }] }], generationConfig };
}

async function withClip(args: string[] = []) {
  const emulator = await openTestEmulator(args);
  const file = await emulator.upload(clip);
  await emulator.settled(file.name ?? "");
  return Object.assign(emulator, { uri: file.uri ?? "" });
}

function textOf(body: Response200): string {
  const parts = body.candidates?.[0]?.content?.parts ?? [];
  return parts.flatMap(({ text, thought }) => (thought ? [] : [text])).join("");
}

test("an answer reports the cuts, the colour and the text of the video", async () => {
  await using emulator = await withClip();
  const body = (await (await emulator.generate(question(emulator.uri))).json()) as Response200;
  const answer = JSON.parse(textOf(body)) as Record<string, unknown>;
  expect(answer).toMatchObject(truth);
  // The title is read only where tesseract and a font are installed.
  expect([undefined, "Opening Title"]).toContain(answer.title_card);
  const modalities = body.usageMetadata.promptTokensDetails.map(({ modality }) => modality);
  expect(modalities).toEqual(["TEXT", "VIDEO", "AUDIO"]);
});

test("the same question about the same bytes gets the same answer in every form of the request", async () => {
  await using emulator = await withClip();
  const asJson = await emulator.generate(question(emulator.uri));
  const inPrompt = await emulator.generate(
    question(emulator.uri, {}, `Answer with:\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``),
  );
  const inSnakeCase = await emulator.generate({
    contents: [
      {
        parts: [
          { inline_data: { mime_type: "video/mp4", data: Buffer.from(clip).toString("base64") } },
          { text: "Describe." },
        ],
      },
    ],
    generation_config: { response_mime_type: "application/json", response_json_schema: schema },
  });
  const texts = [];
  for (const reply of [asJson, inPrompt, inSnakeCase]) texts.push(textOf((await reply.json()) as Response200));
  expect(new Set(texts).size).toBe(1);
});

test("a file that is not ready, missing or not a video is refused", async () => {
  await using emulator = await openTestEmulator(["--processing-ms", "60000"]);
  const { uri = "", name = "" } = await emulator.upload(clip);
  const id = name.slice("files/".length);
  const message = `The File ${id} is not in an ACTIVE state and usage is not allowed.`;
  expect(await refusal(await emulator.generate(question(uri)))).toEqual([400, "FAILED_PRECONDITION", message]);
  const missing = await emulator.generate(question(uri.replace(id, "nobody")));
  expect((await refusal(missing)).slice(0, 2)).toEqual([403, "PERMISSION_DENIED"]);
  const picture = { contents: [{ parts: [{ fileData: { fileUri: uri, mimeType: "video/x-matroska" } }] }] };
  expect((await refusal(await emulator.generate(picture)))[0]).toBe(400);
});

test("a request that Gemini refuses is refused", async () => {
  await using emulator = await openTestEmulator();
  const refused: [object, string, string?][] = [
    [{}, "contents is not specified"],
    [{ contents: [{ parts: [{ text: "x" }] }], topic: 1 }, 'Unknown name "topic": Cannot find field.'],
    [{ contents: [{ role: "system", parts: [{ text: "x" }] }] }, "Please use a valid role"],
    [{ contents: [{ parts: [{}] }] }, "required oneof field 'data'"],
    [config({ responseJsonSchema: schema, responseMimeType: "" }), "application/json"],
    [config({ responseJsonSchema: { $ref: "#/$defs/a", type: "string", $defs: { a: {} } } }), "no sibling"],
    [config({ temperature: 0.2 }), "temperature is not supported"],
    [config({ thinkingConfig: { thinkingBudget: 5, thinkingLevel: "LOW" } }), "only one of thinking budget"],
    [config({ thinkingConfig: { thinkingLevel: "MINIMAL" } }), "MINIMAL", "gemini-3.8-flash"],
    [config({ maxOutputTokens: "many" }), "TYPE_INT32"],
    [config({ maxOutputTokens: 65_537 }), "maxOutputTokens"],
    [{ contents: [{ parts: [{ text: "x", videoMetadata: { fps: 30 } }] }] }, "fps"],
  ];
  for (const [body, message, model] of refused) {
    const [status, name, text] = await refusal(await emulator.generate(body, model));
    expect([status, name, text]).toEqual([400, "INVALID_ARGUMENT", expect.stringContaining(message)]);
  }
  const missing = await emulator.generate(config({}), "gemini-9");
  expect((await refusal(missing)).slice(0, 2)).toEqual([404, "NOT_FOUND"]);
  expect((await emulator.generate(config({ temperature: 0.2 }), "gemini-2.5-flash")).status).toBe(200);
});

function config(generationConfig: object): object {
  const json = { responseMimeType: "application/json" };
  return { contents: [{ parts: [{ text: "x" }] }], generationConfig: { ...json, ...generationConfig } };
}

test("a schema that is too deep or has too many states gets Gemini's refusal", async () => {
  await using emulator = await openTestEmulator();
  const nest = (depth: number): object =>
    depth === 0 ? { type: "string" } : { type: "array", items: nest(depth - 1) };
  const deep = await refusal(await emulator.generate(config({ responseJsonSchema: nest(40) })));
  expect(deep[2]).toContain("maximum allowed nesting depth");
  const long = { type: "array", maxItems: 400, items: { type: "array", maxItems: 90, items: { type: "string" } } };
  const many = await refusal(await emulator.generate(config({ responseJsonSchema: long })));
  expect(many[2]).toContain("too many states for serving");
});

test("each fault of the answer changes one answer in its own way", async () => {
  await using emulator = await withClip();
  const ask = async () => (await (await emulator.generate(question(emulator.uri))).json()) as Response200;
  const kinds = ["malformed-json", "max-tokens", "blocked", "safety", "no-parts", "empty", "thoughts"];
  await emulator.setFaults([...kinds, "zero-video-tokens", "violate-schema"].map((kind) => ({ on: "generate", kind })));

  const malformed = await ask();
  expect(() => JSON.parse(textOf(malformed))).toThrow();
  const cut = await ask();
  expect([cut.candidates?.[0]?.finishReason, textOf(cut).length > 0]).toEqual(["MAX_TOKENS", true]);
  const blocked = await ask();
  expect([blocked.candidates, blocked.promptFeedback?.blockReason]).toEqual([undefined, "PROHIBITED_CONTENT"]);
  expect((await ask()).candidates?.[0]).toMatchObject({ finishReason: "SAFETY" });
  expect((await ask()).candidates?.[0]?.content?.parts).toBeUndefined();
  expect(textOf(await ask())).toBe("");
  const thoughts = await ask();
  expect(thoughts.candidates?.[0]?.content?.parts?.[0]?.thought).toBe(true);
  expect(JSON.parse(textOf(thoughts))).toMatchObject(truth);
  const blind = await ask();
  expect(blind.usageMetadata.promptTokensDetails.some(({ modality }) => modality === "VIDEO")).toBe(false);
  const broken = JSON.parse(textOf(await ask())) as Record<string, unknown>;
  expect(Object.hasOwn(broken, "main_color")).toBe(false);
  expect(JSON.parse(textOf(await ask()))).toMatchObject(truth);
  expect(await emulator.state()).toMatchObject({ faultsLeft: 0 });
});
