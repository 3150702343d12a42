import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEmulator, refusal } from "../emulator.harness.ts";
import { formFaults } from "../protocol/message.ts";
import { replies } from "../protocol/tables.ts";
import { guesses } from "./guesses.ts";

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
    [config({ candidateCount: 2 }), "candidateCount is not supported"],
    [config({ mediaResolution: "MEDIA_RESOLUTION_ULTRA_HIGH" }), "media_resolution"],
    [{ ...config({}), serviceTier: "nonsense" }, "service_tier"],
    [{ contents: [{ parts: [{ text: "x" }] }, { role: "model", parts: [{ text: "y" }] }] }, "turn of the user"],
    [config({ responseJsonSchema: cycle }), "cycles"],
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
  for (const model of ["gemini-9", "gemini-2.5-flash"]) {
    expect((await refusal(await emulator.generate(config({}), model))).slice(0, 2)).toEqual([404, "NOT_FOUND"]);
  }
  const twice = await emulator.call("/v1beta/files?key=key-one");
  expect((await refusal(twice))[2]).toContain("Multiple authentication credentials");
});

const cycle = { $defs: { a: objectOf({ type: "array", items: { $ref: "#/$defs/a" } }) }, $ref: "#/$defs/a" };

function objectOf(children: object): object {
  return { type: "object", properties: { children }, required: ["children"] };
}

test("the emulator takes sampling settings, service tiers and agentic video, as Gemini does", async () => {
  await using emulator = await openTestEmulator();
  const agentic = { contents: [{ parts: [{ text: "x", mediaProcessing: "AGENTIC" }] }] };
  const bodies = [config({ temperature: 0.2, topP: 0.5, topK: 3 }), agentic, { ...config({}), serviceTier: "flex" }];
  for (const body of bodies) expect((await emulator.generate(body)).status).toBe(200);
  expect((await emulator.generate(config({}), "gemini-3.6-flash")).status).toBe(200);
});

test("the emulator accepts a guess, a strict one refuses it, and a recorded reply of Gemini decides instead of both", async () => {
  const folder = await mkdtemp(join(tmpdir(), "recorded-"));
  const file = join(folder, "recorded.json");
  const refused = { status: 400, code: "INVALID_ARGUMENT", message: "Sampling is over." };
  await writeFile(file, JSON.stringify({ sampling: refused, "open-object": { status: 200 } }));
  await using usual = await openTestEmulator();
  await using strict = await openTestEmulator(["--strict"]);
  await using recorded = await openTestEmulator(["--strict", "--recorded", file]);
  await rm(folder, { recursive: true });
  for (const [name, { sample }] of Object.entries(guesses)) {
    const body = config(sample.config ?? {});
    const asked = { ...body, contents: [{ parts: [{ text: "x", ...sample.part }] }] };
    expect([name, (await usual.generate(asked)).status]).toEqual([name, 200]);
    expect([name, (await refusal(await strict.generate(asked)))[2]]).toEqual([
      name,
      "Request contains an invalid argument.",
    ]);
  }
  expect((await refusal(await recorded.generate(config({ temperature: 1 }))))[2]).toBe("Sampling is over.");
  const open = { responseJsonSchema: { type: "object" } };
  expect((await recorded.generate(config(open))).status).toBe(200);
});

test("the list of guesses in the decisions names each guess", async () => {
  const page = await readFile(new URL("../../../../../docs/decisions/0015-emulator.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(guesses).sort());
});

test("a member that Gemini's protocol files do not have is found in a reply", () => {
  const part = { text: "x", thoughtSignature: "AA==" };
  const reply = (more: object) => ({
    candidates: [{ content: { parts: [{ ...part, ...more }] }, finishReason: "STOP" }],
  });
  expect(formFaults(replies.generate, reply({}))).toEqual([]);
  expect(formFaults(replies.generate, reply({ sound: true }))).toEqual([
    expect.stringContaining("Unknown name \"sound\" at 'candidates[0].content.parts[0]'"),
  ]);
  expect(formFaults(replies.get, { state: "ready", sizeBytes: "5", createTime: "yesterday" })).toHaveLength(2);
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

test("each fault of the answer changes exactly one answer", async () => {
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

test("a fault can have the words of a spending cap, and a candidate any reason to end", async () => {
  await using emulator = await withClip();
  const message = "Your project has exceeded its monthly spending cap.";
  const reasons = ["RECITATION", "SPII", "LANGUAGE", "OTHER"];
  await emulator.setFaults([
    { on: "generate", kind: "status", status: 429, message },
    { on: "generate", kind: "status", status: 402 },
    ...reasons.map((finishReason) => ({ on: "generate", kind: "safety", finishReason })),
  ]);
  const ask = () => emulator.generate(question(emulator.uri));
  expect(await refusal(await ask())).toEqual([429, "RESOURCE_EXHAUSTED", message]);
  expect((await refusal(await ask()))[0]).toBe(402);
  const given = [];
  for (const _reason of reasons)
    given.push(((await (await ask()).json()) as Response200).candidates?.[0]?.finishReason);
  expect(given).toEqual(reasons);
});
