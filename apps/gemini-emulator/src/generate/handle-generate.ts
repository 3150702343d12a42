import { writeAnswer } from "../answer/write-answer.ts";
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
import { countTokens } from "./count-tokens.ts";
import { type AskedVideo, findVideos, notActive } from "./find-videos.ts";
import { type GenerateRequest, readGenerateRequest, textOf } from "./generate-request.ts";
import { findModel, type Model } from "./models.ts";
import { type SchemaBudget, tooManyStates } from "./schema/schema-budget.ts";

type Deps = {
  files: FileStore;
  watcher: Watcher;
  journal: Journal;
  models: ReadonlyMap<string, Model>;
  budget: SchemaBudget;
  dir: string;
};

const mostRequestBytes = 100 * 1024 * 1024;

/** generateContent and streamGenerateContent: looks at the video that was asked about and answers from what is there. */
export async function handleGenerate(deps: Deps, exchange: Exchange, owner: string): Promise<Reply> {
  const [version = "", modelId = "", method] = exchange.params;
  const model = findModel(deps.models, modelId, version);
  const request = readGenerateRequest(await readJsonBody(exchange.request, mostRequestBytes), model, deps.budget);
  deps.journal.addGenerate(describe(request));
  const fault = await exchange.strike("generate", { model: modelId, hasSchema: request.schema !== undefined });
  const videos = findVideos(deps, request.contents, owner);
  await actOut(fault, videos, deps.files);
  const seen = await Promise.all(videos.map(async ({ part, evidence }) => ({ part, evidence: await look(evidence) })));
  const text = writeAnswer({
    evidence: seen[0]?.evidence ?? noEvidence,
    schema: request.schema,
    promptText: textOf(request.contents),
    systemText: request.systemText,
    wantsJson: request.config.responseMimeType === "application/json",
    blind: fault?.kind === "zero-video-tokens",
    violating: fault?.kind === "violate-schema",
    obeying: fault?.kind === "obey",
  });
  const response = answerResponse({
    model,
    prompt: countTokens(request, seen),
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

function describe({ model, schema, contents }: GenerateRequest) {
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

async function actOut(fault: Fault | undefined, videos: readonly AskedVideo[], files: FileStore): Promise<void> {
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

/** Media that turn out to be unreadable get the service's barest refusal. */
async function look<T>(evidence: () => Promise<T>): Promise<T> {
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
