import type { ModelError } from "../answer/errors/model-error.ts";
import { schemaInPrompt } from "../answer/prompt-schema.ts";
import { writeAnswer } from "../answer/write-answer.ts";
import { answerClip, asksForSightings, asksForText } from "../clips/answer-clip.ts";
import { byClock } from "../clips/by-clock.ts";
import { isAboutClip } from "../clips/clip-question.ts";
import type { Journal } from "../control/journal.ts";
import { noEvidence } from "../evidence/evidence.ts";
import type { Watcher } from "../evidence/watcher.ts";
import type { Fault } from "../faults/fault.ts";
import type { FileStore } from "../files/file-store.ts";
import { invalidArgument, noSuchFile } from "../protocol/api-error.ts";
import type { Exchange } from "../protocol/exchange.ts";
import { readJsonBody } from "../protocol/read-body.ts";
import { ConnectionLost, type Reply } from "../protocol/reply.ts";
import { answerResponse, streamedResponses } from "./answer-response.ts";
import { textOf } from "./content.ts";
import { countTokens } from "./count-tokens.ts";
import { findVideos, notActive, type RequestVideo } from "./find-videos.ts";
import { type GenerateRequest, readGenerateRequest } from "./generate-request.ts";
import { findModel, type Model } from "./models.ts";
import { type SchemaBudget, tooManyStates } from "./schema/schema-budget.ts";

/** What generateContent needs. */
export type GenerateDeps = {
  readonly files: FileStore;
  readonly watcher: Watcher;
  readonly journal: Journal;
  readonly models: ReadonlyMap<string, Model>;
  readonly budget: SchemaBudget;
  /** The directory for uploaded bytes. */
  readonly dir: string;
  /** How the model errs about whole videos. */
  readonly modelErrors: { current(): readonly ModelError[] };
};

const maxRequestBytes = 100 * 1024 * 1024;

/** Answers generateContent and streamGenerateContent from the evidence of the first video in the request. */
export async function handleGenerate(deps: GenerateDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const [version = "", modelId = "", method] = exchange.params;
  const model = findModel(deps.models, modelId, version);
  const request = readGenerateRequest(await readJsonBody(exchange.request, maxRequestBytes), model, deps.budget);
  deps.journal.addGenerate(journalEntry(request));
  const fault = await exchange.injectFault("generate", { model: modelId, hasSchema: request.schema !== undefined });
  const videos = findVideos(deps, request.contents, owner);
  await applyFault(fault, videos, deps.files);
  const promptText = textOf(request.contents);
  const asked = request.schema ?? schemaInPrompt(promptText) ?? {};
  const withoutText = asksForSightings(asked) && !asksForText(asked);
  const clip = isAboutClip(promptText) ? await evidenceOrRefusal(async () => videos[0]?.clip(withoutText)) : undefined;
  const examined = await Promise.all(
    videos.map(async ({ part, evidence }, index) => {
      return { part, evidence: index === 0 && clip ? clip.evidence : await evidenceOrRefusal(evidence) };
    }),
  );
  const fps = videos[0]?.part.videoMetadata?.fps;
  const pictureMs = fps ? 1000 / fps : undefined;
  const seenInClip = clip && !fault ? answerClip(asked, { ...clip, ...(pictureMs ? { pictureMs } : {}) }) : undefined;
  const whole = () =>
    writeAnswer({
      evidence: clip ? byClock(clip) : (examined[0]?.evidence ?? noEvidence),
      schema: request.schema,
      promptText,
      systemText: request.systemText,
      wantsJson: request.config.responseMimeType === "application/json",
      ignoresVideo: fault?.kind === "zero-video-tokens",
      violatesSchema: fault?.kind === "violate-schema",
      obeysOrders: fault?.kind === "obey",
      errors: deps.modelErrors.current(),
    });
  const text = seenInClip ?? whole();
  const response = answerResponse({
    model,
    prompt: countTokens(request, examined),
    text,
    maxOutputTokens: request.config.maxOutputTokens,
    includeThoughts: request.config.thinkingConfig?.includeThoughts ?? false,
    fault,
  });
  const reply = method === "streamGenerateContent" ? stream(exchange.url, response) : { status: 200, json: response };
  if (fault?.kind === "cut-final-reply") throw new ConnectionLost();
  if (fault?.kind === "drop") throw new ConnectionLost({ reply, bytes: fault.afterBytes ?? 0 });
  return reply;
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
  if (fault?.kind === "processing") throw notActive(file);
  if (fault?.kind === "failed") {
    file.stop();
    file.state = "FAILED";
    throw notActive(file);
  }
  if (fault?.kind === "vanish") {
    await files.remove(file);
    throw noSuchFile(file.id);
  }
}

/** Returns the evidence of a video. Throws Gemini's refusal of media that it cannot read. */
async function evidenceOrRefusal<T>(evidence: () => Promise<T>): Promise<T> {
  try {
    return await evidence();
  } catch (cause) {
    throw Object.assign(invalidArgument("Request contains an invalid argument."), { cause });
  }
}

function stream(url: URL, response: Record<string, unknown>): Reply {
  const responses = streamedResponses(response);
  if (url.searchParams.get("alt") !== "sse") return { status: 200, json: responses };
  const text = responses.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join("");
  return { status: 200, text, headers: { "content-type": "text/event-stream" } };
}
