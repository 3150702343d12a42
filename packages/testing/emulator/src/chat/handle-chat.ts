import { createHash, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "@video-to-json/contract";
import { answerClip, isAboutClip, sightingsAsked } from "../answer/find-moments.ts";
import { schemaInPrompt } from "../answer/schema.ts";
import { writeAnswer } from "../answer/write-answer.ts";
import { byClock, type ClipEvidence, noEvidence } from "../evidence/look.ts";
import type { Watcher } from "../evidence/watcher.ts";
import type { Fault } from "../faults/faults.ts";
import { noteQuestion } from "../generate/handle-generate.ts";
import { ConnectionLost, type Exchange, type Reply, readJsonBody } from "../protocol/exchange.ts";
import type { State } from "../state.ts";
import { contextTokens, type Dialect, type DialectName, dialects, refuse } from "./dialects.ts";

const maxRequestBytes = 100 * 1024 * 1024;
export const chatModels = ["emulated-vl", "emulated-vl-large"];
/** The tokens that Ollama leaves of a question without a setting for its context. */
const cutTokens = 4_096;
/** The factor of a server that misreads the rate of pictures. */
const wrongFactor = 3;

type Question = {
  model: string;
  system: string;
  prompt: string;
  pictures: Shown[];
  video: { mp4: Buffer; allPictures: boolean } | undefined;
  schema: Record<string, unknown> | undefined;
  maxTokens: number;
};

/** Answers chat completions from the pictures of the request, as the server of this name does. */
export async function handleChat(state: State, exchange: Exchange, name: DialectName): Promise<Reply> {
  const dialect: Dialect = dialects[name];
  const question = readQuestion(await readJsonBody(exchange.request, maxRequestBytes), dialect);
  const { model, prompt, pictures, video, schema } = question;
  const hasSchema = schema !== undefined;
  const promptChars = prompt.length;
  noteQuestion(state.journal, {
    model,
    hasSchema,
    promptChars,
    videoPart: pictures.length > 0 || video !== undefined,
    videoFirst: true,
  });
  const fault = await exchange.injectFault("generate", { model, hasSchema });
  const seen = await look(state, question, fault);
  const sampled = video?.allPictures ? seen.pictures : Math.min(seen.pictures, dialect.picturesOfVideo);
  const tokens = countTokens(question) + (video ? Math.ceil(sampled / 2) * pictureTokens(seen) : 0);
  const refusal = tokens + question.maxTokens > contextTokens ? dialect.tooLong(tokens) : null;
  if (refusal !== null) throw refuse(400, refusal);
  const left = fault?.kind === "cut-prompt" ? cutTokens : contextTokens;
  const text = answer(state, question, seen, fault);
  const reply = streamOf(question, { text, fault, tokens: Math.min(tokens, left) });
  if (fault?.kind === "drop") throw new ConnectionLost({ reply, bytes: fault.afterBytes ?? 0 });
  return reply;
}

function readQuestion(body: Record<string, unknown>, dialect: Dialect): Question {
  const model = String(body.model);
  const unknown = chatModels.includes(model) ? null : dialect.unknownModel(model);
  if (unknown !== null) throw refuse(404, unknown);
  if (body.stream !== true || !isJsonObject(body.stream_options)) throw refuse(400, "This emulator only streams.");
  const format = isJsonObject(body.response_format) ? body.response_format.json_schema : undefined;
  const schema = isJsonObject(format) && isJsonObject(format.schema) ? format.schema : undefined;
  const refused = schema && dialect.refusedSchema(schema);
  if (refused) throw refuse(400, refused);
  const question: Question = {
    model,
    system: "",
    prompt: "",
    pictures: [],
    video: undefined,
    schema,
    maxTokens: Number(body.max_tokens),
  };
  let seconds: number | null = null;
  for (const { role, content } of messagesOf(body)) {
    for (const part of typeof content === "string" ? [{ type: "text", text: content }] : content) {
      const { type } = part;
      if (!dialect.parts.includes(type)) throw refuse(400, dialect.unknownPart(type));
      if (type === "image_url") {
        question.pictures.push({ jpeg: readPicture(part.image_url), seconds });
        seconds = null;
      } else if (type === "video_url" || type === "input_video") {
        if (question.video) throw refuse(400, "At most 1 video(s) may be provided in one prompt.");
        question.video = { mp4: readVideo(part), allPictures: takesAll(body) };
      } else if (role === "system") {
        question.system += part.text;
      } else if (type === "text") {
        seconds = readTime(String(part.text));
        if (seconds === null) question.prompt += `${part.text}\n`;
      }
    }
  }
  if (question.pictures.length > dialect.maxPictures)
    throw refuse(400, `At most ${dialect.maxPictures} image(s) may be provided in one prompt.`);
  return question;
}

type Part = { type: string; text?: string; image_url?: unknown; video_url?: unknown; input_video?: unknown };

function messagesOf({ messages }: Record<string, unknown>): { role: string; content: string | Part[] }[] {
  if (!Array.isArray(messages) || messages.length === 0) throw refuse(400, "messages must not be empty");
  return messages;
}

/** A server would fetch an address. The service must never let it. */
function readPicture(given: unknown): Buffer {
  const url = isJsonObject(given) ? String(given.url) : "";
  const [, data = ""] = /^data:image\/jpeg;base64,([A-Za-z0-9+/]+={0,2})$/.exec(url) ?? [];
  const jpeg = Buffer.from(data, "base64");
  if (jpeg.length < 20 || !sizeOf(jpeg)) throw refuse(400, "invalid image data");
  return jpeg;
}

/** vLLM takes a `data:` address, llama.cpp the bare text. */
function readVideo({ video_url, input_video }: Part): Buffer {
  const given = isJsonObject(video_url) ? String(video_url.url) : "";
  const bare = isJsonObject(input_video) ? String(input_video.data) : given.replace(/^data:video\/mp4;base64,/, "");
  const mp4 = /^[A-Za-z0-9+/]+={0,2}$/.test(bare) ? Buffer.from(bare, "base64") : Buffer.alloc(0);
  if (mp4.toString("latin1", 4, 8) !== "ftyp") throw refuse(400, "Failed to load the video.");
  return mp4;
}

function takesAll({ media_io_kwargs: options }: Record<string, unknown>): boolean {
  return isJsonObject(options) && isJsonObject(options.video) && options.video.num_frames === -1;
}

function readTime(text: string): number | null {
  const clock = /^(\d\d):(\d\d(?:\.\d)?)$/.exec(text);
  if (clock) return Number(clock[1]) * 60 + Number(clock[2]);
  const seconds = /^<(\d+\.\d) seconds>$/.exec(text);
  return seconds ? Number(seconds[1]) : null;
}

function countTokens({ system, prompt, pictures }: Question): number {
  const ofPicture = ({ jpeg }: Shown) => pictureTokens(sizeOf(jpeg) ?? { width: 0, height: 0 });
  return Math.ceil((system.length + prompt.length) / 4) + pictures.reduce((sum, one) => sum + ofPicture(one), 0);
}

function pictureTokens({ width, height }: { width: number; height: number }): number {
  return Math.ceil(width / 28) * Math.ceil(height / 28) + 6;
}

function answer(state: State, { schema, prompt, system }: Question, seen: Seen, fault: Fault | undefined): string {
  if (fault?.kind === "ignore-schema") return "The video shows several things, which follow each other.";
  const sightings = sightingsAsked(schema ?? schemaInPrompt(prompt) ?? {});
  if (isAboutClip(prompt) && sightings) return answerClip(sightings, seen, seen.pictureMs);
  const request = { evidence: byClock(seen), schema, promptText: prompt, systemText: system };
  return writeAnswer({ ...request, misbehaves: fault?.kind, errors: state.modelErrors.current });
}

type Seen = ClipEvidence & { pictureMs: number; pictures: number; width: number; height: number };

/** Looks at the pictures as at a video, whose times are those that stand before them; at a video by its clock. */
async function look(state: State, question: Question, fault: Fault | undefined): Promise<Seen> {
  const { pictures, prompt, video } = question;
  const [first, last] = [pictures[0], pictures.at(-1)];
  if (video) {
    const seen = await watch(state, video.mp4, (watcher, ...of) => watcher.watchClip(...of, isAboutClip(prompt)));
    const { framesPerSecond = 1, width, height } = seen.firstFrame;
    const pictureMs = 1000 / framesPerSecond;
    // The clock of a picture may be read late by as long as the picture is shown.
    const clockMs = seen.clockMs !== null && seen.clockMs < pictureMs ? 0 : seen.clockMs;
    return { ...seen, clockMs, pictureMs, pictures: Math.round(seen.evidence.durationMs / pictureMs), width, height };
  }
  const none = { pictures: 0, width: 0, height: 0 };
  if (!first || !last) return { evidence: noEvidence, clockMs: 0, pictureMs: 1000, ...none };
  const from = first.seconds ?? 0;
  const to = last.seconds ?? pictures.length - 1;
  const factor = fault?.kind === "times-off" ? wrongFactor : 1;
  const pictureMs = pictures.length > 1 ? (factor * (to - from) * 1000) / (pictures.length - 1) : 1000;
  const jpegs = pictures.map(({ jpeg }) => jpeg);
  const evidence = await watch(state, videoOf(jpegs, pictureMs), async (watcher, ...of) =>
    isAboutClip(prompt) ? (await watcher.watchClip(...of, true)).evidence : watcher.watch(...of).evidence,
  );
  return { evidence, clockMs: from * 1000, pictureMs, ...none };
}

type Watch<T> = (watcher: Watcher, path: string, sha256: string, signal: AbortSignal) => Promise<T>;

async function watch<T>({ dir, watcher }: State, video: Buffer, use: Watch<T>): Promise<T> {
  const sha256 = createHash("sha256").update(video).digest("hex");
  const path = join(dir, randomBytes(24).toString("base64url"));
  const stopping = new AbortController();
  try {
    await writeFile(path, video);
    return await use(watcher, path, sha256, stopping.signal);
  } finally {
    stopping.abort();
    await rm(path, { force: true });
  }
}

type Written = { text: string; fault: Fault | undefined; tokens: number };

/** Returns the events of a stream: the answer in pieces, its end, and the tokens. */
function streamOf({ model, maxTokens }: Question, { text, fault, tokens }: Written): Reply {
  const written = fault?.kind === "fences" ? `\`\`\`json\n${text}\n\`\`\`` : text;
  const isCut = fault?.kind === "max-tokens" || written.length / 4 > maxTokens;
  const all = isCut ? written.slice(0, Math.min(written.length / 2, maxTokens * 4)) : written;
  const member = fault?.kind === "answer-as-thought" ? "reasoning_content" : "content";
  const base = { id: "chatcmpl-emulated", object: "chat.completion.chunk", model };
  const choice = (delta: object, finish_reason: string | null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const pieces = all.match(/[\s\S]{1,40}/g) ?? [];
  const thoughts = fault?.kind === "thoughts" ? [choice({ reasoning_content: "Let me look." }, null)] : [];
  const completion_tokens = Math.ceil(all.length / 4);
  const events = [
    choice({ role: "assistant", content: "" }, null),
    ...thoughts,
    ...pieces.map((piece) => choice({ [member]: piece }, null)),
    choice({}, isCut ? "length" : "stop"),
    {
      ...base,
      choices: [],
      usage: { prompt_tokens: tokens, completion_tokens, total_tokens: tokens + completion_tokens },
    },
  ];
  const lines = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`);
  return { status: 200, text: lines.join(""), headers: { "content-type": "text/event-stream" } };
}

/** A picture of a question, with the time that stands before it as text; null without one. */
type Shown = { jpeg: Buffer; seconds: number | null };

/** The width and height of a JPEG picture, or undefined for other bytes. */
function sizeOf(jpeg: Buffer): { width: number; height: number } | undefined {
  if (jpeg.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) };
  }
  return undefined;
}

/** Returns an AVI file with these pictures, each as long as the others. */
function videoOf(pictures: readonly Buffer[], pictureMs: number): Buffer {
  const { width = 0, height = 0 } = (pictures[0] && sizeOf(pictures[0])) ?? {};
  const [count, micros] = [pictures.length, Math.round(pictureMs * 1000)];
  const stream = Buffer.concat([Buffer.from("vidsMJPG"), words(0, 0, 0, micros, 1_000_000, 0, count, 0, 0, 0, 0, 0)]);
  const format = Buffer.concat([words(40, width, height, 0x180001), Buffer.from("MJPG"), words(0, 0, 0, 0, 0)]);
  const header = chunk("avih", words(micros, 0, 0, 0, count, 0, 1, 0, width, height, 0, 0, 0, 0));
  const streams = list("LIST", "strl", [chunk("strh", stream), chunk("strf", format)]);
  const movie = pictures.map((jpeg) => chunk("00dc", jpeg));
  return list("RIFF", "AVI ", [list("LIST", "hdrl", [header, streams]), list("LIST", "movi", movie)]);
}

function chunk(name: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), words(body.length), body, Buffer.alloc(body.length % 2)]);
}

function list(name: string, type: string, parts: readonly Buffer[]): Buffer {
  return chunk(name, Buffer.concat([Buffer.from(type), ...parts]));
}

function words(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
