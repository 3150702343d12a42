import { createHash, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answerClip, asksForText, isAboutClip, sightingsAsked } from "../answer/find-moments.ts";
import { hostileText } from "../answer/hostile.ts";
import { schemaInPrompt } from "../answer/schema.ts";
import { writeAnswer } from "../answer/write-answer.ts";
import { byClock, type ClipEvidence, type Evidence, noEvidence } from "../evidence/look.ts";
import type { Fault } from "../faults/faults.ts";
import { applyFileFault, type StoredFile } from "../files/files.ts";
import {
  ConnectionLost,
  type EarlyReply,
  type Exchange,
  invalidArgument,
  noSuchFile,
  type Reply,
  readJsonBody,
  refusal,
} from "../protocol/exchange.ts";
import type { GenerateEntry, State } from "../state.ts";
import { answerResponse, countTokens, findModel } from "./answer-response.ts";
import {
  type Content,
  type GenerateRequest,
  type Part,
  partsOf,
  readGenerateRequest,
  textOf,
  tooManyStates,
} from "./generate-request.ts";
import { checkGuesses } from "./guesses.ts";

const maxRequestBytes = 100 * 1024 * 1024;

/** Answers generateContent from the evidence of the first video in the request. */
export async function handleGenerate(state: State, exchange: Exchange, owner: string): Promise<Reply> {
  return answerGenerate(state, exchange, owner, await readGenerateBody(exchange));
}

/** Reads the body of a question. Throws INVALID_ARGUMENT if it is too large or not an object. */
export function readGenerateBody({ request }: Exchange): Promise<Record<string, unknown>> {
  return readJsonBody(request, maxRequestBytes);
}

/** Answers a question whose body was read. */
export async function answerGenerate(
  state: State,
  exchange: Exchange,
  owner: string,
  body: Record<string, unknown>,
): Promise<Reply> {
  const [version = "", modelId = ""] = exchange.params;
  const model = findModel(modelId, version);
  const request = readGenerateRequest(body, model);
  noteQuestion(state.journal, entryOf(request));
  checkGuesses(request, state.guesses);
  const fault = await exchange.injectFault("generate", { model: modelId, hasSchema: request.schema !== undefined });
  const videos = findVideos(state, request.contents, owner);
  await applyFault(fault, videos, state.files);
  const { text, examined } = await answer(state, request, videos, fault);
  const json = answerResponse({
    ...{ model, prompt: countTokens(request, examined), text, fault },
    maxOutputTokens: request.config.maxOutputTokens,
    includeThoughts: request.config.thinkingConfig?.includeThoughts ?? false,
  });
  const reply = { status: 200, json };
  if (fault?.kind === "cut-final-reply") throw new ConnectionLost();
  if (fault?.kind === "drop") throw new ConnectionLost({ reply, bytes: fault.afterBytes ?? 0 });
  return reply;
}

async function answer(
  { modelErrors }: State,
  { schema, contents, systemText }: GenerateRequest,
  videos: readonly RequestVideo[],
  fault: Fault | undefined,
) {
  const promptText = textOf(contents);
  const sightings = sightingsAsked(schema ?? schemaInPrompt(promptText) ?? {});
  const withoutText = sightings !== undefined && !asksForText(sightings);
  const [first] = videos;
  try {
    const clip = first && isAboutClip(promptText) ? await first.clip(withoutText) : undefined;
    const looks = videos.map(async ({ part, evidence }, index) => {
      return { part, evidence: index === 0 && clip ? clip.evidence : await evidence() };
    });
    const examined = await Promise.all(looks);
    const { fps } = first?.part.videoMetadata ?? {};
    if (clip && sightings && !fault) return { text: answerClip(sightings, clip, fps && 1000 / fps), examined };
    const evidence = clip ? byClock(clip) : (examined[0]?.evidence ?? noEvidence);
    if (fault?.kind === "hostile") {
      const asked = schema ?? schemaInPrompt(promptText) ?? {};
      return { text: hostileText({ shape: fault.shape, schema: asked, promptText }), examined };
    }
    const errors = modelErrors.current;
    return {
      text: writeAnswer({ evidence, schema, promptText, systemText, misbehaves: fault?.kind, errors }),
      examined,
    };
  } catch (cause) {
    // Gemini refuses media that it cannot read in these words.
    throw Object.assign(invalidArgument("Request contains an invalid argument."), { cause });
  }
}

const maxEntries = 1000;

/** Counts a question, and notes what it holds. */
export function noteQuestion({ generateCounts, generateLog }: State["journal"], entry: GenerateEntry): void {
  generateLog.push(entry);
  if (generateLog.length > maxEntries) generateLog.shift();
  generateCounts[entry.model] = (generateCounts[entry.model] ?? 0) + 1;
}

function entryOf({ model, schema, contents }: GenerateRequest): GenerateEntry {
  const parts = partsOf(contents);
  const video = parts.findIndex(({ fileData, inlineData }) => fileData ?? inlineData);
  const text = parts.findIndex((part) => part.text !== undefined);
  return {
    model: model.id,
    hasSchema: schema !== undefined,
    promptChars: textOf(contents).length,
    videoPart: video >= 0,
    videoFirst: video >= 0 && (text < 0 || video < text),
  };
}

async function applyFault(
  fault: Fault | undefined,
  videos: readonly RequestVideo[],
  files: State["files"],
): Promise<void> {
  if (fault?.kind === "too-many-states") throw tooManyStates();
  const file = videos.find((video) => video.file)?.file;
  if (!file) return;
  await applyFileFault(fault, file, files);
  if (fault?.kind === "processing" || fault?.kind === "failed") throw notActive(file);
}

/** A video of the request, with its evidence. `file` is undefined for inline data. */
type RequestVideo = {
  part: Part;
  file: StoredFile | undefined;
  evidence(): Promise<Evidence>;
  /** The evidence of the video as a clip with a clock. */
  clip(withoutText: boolean): Promise<ClipEvidence>;
};

/** Returns the videos of a request in order. Throws Gemini's refusal of a file that is missing, not ready or not a video. */
function findVideos(state: State, contents: readonly Content[], owner: string): RequestVideo[] {
  return partsOf(contents).flatMap((part): RequestVideo[] => {
    if (part.fileData) {
      const file = findFile(state, part.fileData.fileUri ?? "", owner);
      checkMimeType(part.fileData.mimeType ?? file.mimeType);
      const { signal } = new AbortController();
      const clip = (withoutText: boolean) => state.watcher.watchClip(file.path, file.sha256, signal, withoutText);
      return [{ part, file, evidence: () => file.evidence, clip }];
    }
    if (!part.inlineData) return [];
    checkMimeType(part.inlineData.mimeType ?? "");
    const bytes = Buffer.from(part.inlineData.data ?? "", "base64");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const examine = async <T>(how: (path: string, signal: AbortSignal) => Promise<T>): Promise<T> => {
      const path = join(state.dir, randomBytes(24).toString("base64url"));
      const stopping = new AbortController();
      try {
        await writeFile(path, bytes);
        return await how(path, stopping.signal);
      } finally {
        stopping.abort();
        await rm(path, { force: true });
      }
    };
    const evidence = () => examine((path, signal) => state.watcher.watch(path, sha256, signal).evidence);
    const clip = (withoutText: boolean) =>
      examine((path, signal) => state.watcher.watchClip(path, sha256, signal, withoutText));
    return [{ part, file: undefined, evidence, clip }];
  });
}

const mimeTypes = ["mp4", "mpeg", "mov", "quicktime", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"];

function checkMimeType(mimeType: string): void {
  const bare = mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!mimeTypes.some((name) => bare === `video/${name}`)) throw invalidArgument(`Unsupported MIME type: ${mimeType}`);
}

function findFile({ files }: State, uri: string, owner: string): StoredFile {
  const id = /^https?:\/\/[^/]+(?:\/[^?#]*)?\/v1(?:beta)?\/files\/([^/?#]+)$/.exec(uri)?.[1];
  if (id === undefined) throw invalidArgument(`Invalid or unsupported file uri: ${uri}`);
  if (!/^[a-z0-9-]{1,40}$/.test(id)) throw noSuchFile(id);
  const file = files.find(id, owner);
  if (file.state !== "ACTIVE") throw notActive(file);
  return file;
}

function notActive({ id }: StoredFile): EarlyReply {
  const message = `The File ${id} is not in an ACTIVE state and usage is not allowed.`;
  return refusal(400, "FAILED_PRECONDITION", message);
}
