import { type GenerateContentRequest, GoogleGenerativeAI, type Part } from "@google/generative-ai";
import { isJsonObject } from "@video-to-json/contract";
import type { ClipVideo, ProviderRequest } from "../analysis-provider.ts";
import type { Connection } from "./connection.ts";
import { GeminiError } from "./gemini-error.ts";

/** One request to generate content. `config` is sent unchanged. */
type GenerateRequest = {
  model: string;
  system: string;
  video: { uri: string; mimeType: string } | Pick<ClipVideo, "bytes" | "mimeType">;
  /** How many pictures a second the model looks at. Gemini decides if undefined: one. */
  framesPerSecond?: number | undefined;
  prompt: string;
  config: Record<string, unknown>;
};

/** The calls of Gemini's API besides uploads: questions go through Google's SDK. Each throws GeminiError, or the reason of `signal` when it aborts. */
export type Sdk = {
  generate(request: GenerateRequest, signal: AbortSignal): Promise<unknown>;
  getFile(name: string, signal: AbortSignal): Promise<unknown>;
  deleteFile(name: string, signal: AbortSignal): Promise<void>;
  /** `maxSilenceMs` replaces the usual limit of 10 s. */
  listFiles(pageToken: string | null, signal: AbortSignal, maxSilenceMs?: number): Promise<unknown>;
};

const maxShortCallSilenceMs = 10_000;
// Short enough for two attempts within the 5 s that a deletion may take.
const maxDeletionSilenceMs = 3_000;
const listPageSize = 100;

/**
 * Binds the SDK to a connection. Version 0.24.1 is its last one, so no other file imports it.
 *
 * @param path what stands before the models in the path of a question.
 * @param knowsStore whether a question may say that it is not to be stored.
 */
export function openSdk(connection: Connection, path = "v1beta", knowsStore = true): Sdk {
  const options = { baseUrl: connection.baseUrl, apiVersion: path };
  const models = new GoogleGenerativeAI(connection.apiKey);
  const about = async (
    files: string,
    kind: "get" | "list" | "delete",
    signal: AbortSignal,
    maxSilenceMs = maxShortCallSilenceMs,
  ): Promise<unknown> => {
    const method = kind === "delete" ? "DELETE" : "GET";
    const url = `${connection.baseUrl}/v1beta/${files}`;
    const reply = await exchange({ connection, kind, signal, maxSilenceMs }, url, { method });
    return kind === "delete" ? undefined : reply.json();
  };
  return {
    async generate({ model, system, video, framesPerSecond, prompt, config }, signal) {
      // Without `store`, a paid project keeps the question and its answer for 55 days. The SDK's type omits it.
      const request: GenerateContentRequest & { store?: false } = {
        ...(knowsStore ? { store: false } : {}),
        contents: [
          {
            role: "user",
            parts: [videoPart(video, framesPerSecond), { text: prompt }],
          },
        ],
        generationConfig: config,
      };
      // Only the job's signal limits the time of an answer.
      const context: CallContext = { connection, kind: "generate", signal, maxSilenceMs: 0 };
      const generative = models.getGenerativeModel({ model, systemInstruction: system }, options);
      return (await callSdk(context, () => generative.generateContent(request))).response;
    },
    getFile: (name, signal) => about(name, "get", signal),
    async deleteFile(name, signal) {
      await about(name, "delete", signal, maxDeletionSilenceMs);
    },
    listFiles: (pageToken, signal, maxSilenceMs) => {
      const page = new URLSearchParams({ pageSize: String(listPageSize), ...(pageToken && { pageToken }) });
      return about(`files?${page}`, "list", signal, maxSilenceMs);
    },
  };
}

function videoPart(video: GenerateRequest["video"], framesPerSecond: number | undefined): Part {
  // The SDK's types omit the metadata.
  const metadata = framesPerSecond === undefined ? {} : { videoMetadata: { fps: framesPerSecond } };
  if ("uri" in video) return { fileData: { fileUri: video.uri, mimeType: video.mimeType }, ...metadata } as Part;
  const data = Buffer.from(video.bytes.buffer, video.bytes.byteOffset, video.bytes.byteLength).toString("base64");
  return { inlineData: { mimeType: video.mimeType, data }, ...metadata } as Part;
}

type CallContext = { connection: Connection; kind: ProviderRequest; signal: AbortSignal; maxSilenceMs: number };

/**
 * Runs one SDK call over our connection. The SDK has no option for `fetch`: it reads the global one synchronously
 * when a call starts. So this function replaces the global `fetch` during that synchronous moment, in which no
 * other code runs. With the platform's `fetch` we would lose the proxy, the details of errors, and every answer after
 * 300 s. This is the only file that replaces a global.
 */
async function callSdk<T>(context: CallContext, call: () => Promise<T>): Promise<T> {
  let failure: unknown;
  const platformFetch = globalThis.fetch;
  globalThis.fetch = async (url, init) => {
    try {
      return await exchange(context, String(url), init ?? {});
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  let result: Promise<T>;
  try {
    result = call();
  } finally {
    globalThis.fetch = platformFetch;
  }
  try {
    return await result;
  } catch (error) {
    throw failure ?? error;
  }
}

async function exchange(
  { connection, kind, signal, maxSilenceMs }: CallContext,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const method = init.method === "DELETE" || init.method === "POST" ? init.method : "GET";
  const reply = await connection.send({
    kind,
    method,
    url,
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(typeof init.body === "string" ? { body: init.body } : {}),
    maxSilenceMs,
    signal,
  });
  if (reply.status < 200 || reply.status > 299) throw connection.errorOf(reply);
  if (method !== "DELETE" && !isJsonObjectText(reply.text)) {
    throw new GeminiError("The reply is not a JSON object.", { status: 200 });
  }
  return new Response(reply.text);
}

function isJsonObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
