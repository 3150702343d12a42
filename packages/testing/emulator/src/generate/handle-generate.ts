import type { ModelError } from "../answer/err.ts";
import { answerClip, asksForText, isAboutClip, sightingsAsked } from "../answer/find-moments.ts";
import { hostileText } from "../answer/hostile.ts";
import { schemaInPrompt } from "../answer/schema.ts";
import { writeAnswer } from "../answer/write-answer.ts";
import type { Journal } from "../control/control.ts";
import { byClock, noEvidence } from "../evidence/evidence.ts";
import type { Watcher } from "../evidence/watcher.ts";
import type { Fault } from "../faults/fault.ts";
import { applyFileFault, type FileStore } from "../files/files.ts";
import { type Exchange, readJsonBody } from "../protocol/exchange.ts";
import { ConnectionLost, invalidArgument, type Reply } from "../protocol/reply.ts";
import { answerResponse } from "./answer-response.ts";
import { tooManyStates } from "./check-request.ts";
import { findVideos, notActive, type RequestVideo } from "./find-videos.ts";
import { type GenerateRequest, readGenerateRequest, textOf } from "./generate-request.ts";
import { countTokens, findModel } from "./models.ts";

/** What generateContent needs. */
export type GenerateDeps = {
  readonly files: FileStore;
  readonly watcher: Watcher;
  readonly journal: Journal;
  /** The directory for uploaded bytes. */
  readonly dir: string;
  /** How the model errs about whole videos. */
  readonly modelErrors: { current: readonly ModelError[] };
};

const maxRequestBytes = 100 * 1024 * 1024;

/** Answers generateContent from the evidence of the first video in the request. */
export async function handleGenerate(deps: GenerateDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const [version = "", modelId = ""] = exchange.params;
  const model = findModel(modelId, version);
  const request = readGenerateRequest(await readJsonBody(exchange.request, maxRequestBytes), model);
  deps.journal.addGenerate(journalEntry(request));
  const fault = await exchange.injectFault("generate", { model: modelId, hasSchema: request.schema !== undefined });
  const videos = findVideos(deps, request.contents, owner);
  await applyFault(fault, videos, deps.files);
  const { text, examined } = await answer(deps, request, videos, fault);
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
  { modelErrors }: GenerateDeps,
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

function journalEntry({ model, schema, contents }: GenerateRequest) {
  const parts = contents.flatMap((content) => content.parts);
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

async function applyFault(fault: Fault | undefined, videos: readonly RequestVideo[], files: FileStore): Promise<void> {
  if (fault?.kind === "too-many-states") throw tooManyStates();
  const file = videos.find((video) => video.file)?.file;
  if (!file) return;
  await applyFileFault(fault, file, files);
  if (fault?.kind === "processing" || fault?.kind === "failed") throw notActive(file);
}
