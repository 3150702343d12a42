import { type GenerateContentRequest, GoogleGenerativeAI } from "@google/generative-ai";
import { GoogleAIFileManager } from "@google/generative-ai/server";
import type { Connection } from "./connection.ts";
import { ServiceFault } from "./service-fault.ts";

/** One question as the service takes it; `config` passes through as it is written. */
type GenerateRequest = {
  model: string;
  system: string;
  file: { uri: string; mimeType: string };
  prompt: string;
  config: Record<string, unknown>;
};

/** The calls that go through Google's SDK. Each throws ServiceFault, or the reason of `signal` once that aborts. */
export type Sdk = {
  generate(request: GenerateRequest, signal: AbortSignal): Promise<unknown>;
  getFile(name: string, signal: AbortSignal): Promise<unknown>;
  deleteFile(name: string, signal: AbortSignal): Promise<void>;
  /** `quietMs`: how long the list may stay silent, where that is less than usual. */
  listFiles(pageToken: string | null, signal: AbortSignal, quietMs?: number): Promise<unknown>;
};

const shortCallQuietMs = 10_000;
// A deletion must have a second chance within the few seconds that are given to it.
const deletionQuietMs = 3_000;
const listPageSize = 100;

/** Binds the SDK (0.24.1, whose support has ended: nothing else may import it) to a connection. */
export function openSdk(connection: Connection): Sdk {
  const options = { baseUrl: connection.baseUrl, apiVersion: "v1beta" };
  const models = new GoogleGenerativeAI(connection.apiKey);
  const files = new GoogleAIFileManager(connection.apiKey, options);
  const short = (signal: AbortSignal, quietMs = shortCallQuietMs): Carrier => ({ connection, signal, quietMs });
  return {
    async generate({ model, system, file, prompt, config }, signal) {
      const request: GenerateContentRequest = {
        contents: [
          {
            role: "user",
            parts: [{ fileData: { fileUri: file.uri, mimeType: file.mimeType } }, { text: prompt }],
          },
        ],
        generationConfig: config,
      };
      // An answer takes as long as it takes: only the run's own signal ends the wait for it.
      const patient: Carrier = { connection, signal, quietMs: 0 };
      const generative = models.getGenerativeModel({ model, systemInstruction: system }, options);
      return (await carried(patient, () => generative.generateContent(request))).response;
    },
    getFile: (name, signal) => carried(short(signal), () => files.getFile(name)),
    deleteFile: (name, signal) => carried(short(signal, deletionQuietMs), () => files.deleteFile(name)),
    listFiles: (pageToken, signal, quietMs) => {
      const page = { pageSize: listPageSize, ...(pageToken === null ? {} : { pageToken }) };
      return carried(short(signal, quietMs), () => files.listFiles(page));
    },
  };
}

type Carrier = { connection: Connection; signal: AbortSignal; quietMs: number };

/**
 * Runs one SDK call over our connection. The SDK takes no `fetch`: it picks up the global one, synchronously, as the
 * call is made. So the global one is ours for exactly that synchronous moment, which no other code can see. With its
 * own it would lose the error's details, wait no longer than 300 s for an answer, and could not abort a deletion.
 */
async function carried<T>(carrier: Carrier, call: () => Promise<T>): Promise<T> {
  let failure: unknown;
  const native = globalThis.fetch;
  globalThis.fetch = async (url, init) => {
    try {
      return await exchange(carrier, String(url), init ?? {});
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  let result: Promise<T>;
  try {
    result = call();
  } finally {
    globalThis.fetch = native;
  }
  try {
    return await result;
  } catch (error) {
    throw failure ?? error;
  }
}

async function exchange({ connection, signal, quietMs }: Carrier, url: string, init: RequestInit): Promise<Response> {
  const method = init.method === "DELETE" || init.method === "POST" ? init.method : "GET";
  const reply = await connection.send({
    method,
    url,
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(typeof init.body === "string" ? { body: init.body } : {}),
    quietMs,
    signal,
  });
  if (reply.status < 200 || reply.status > 299) throw connection.fault(reply);
  if (method !== "DELETE" && !isJsonObject(reply.text)) {
    throw new ServiceFault("The reply is not a JSON object.", { status: 200 });
  }
  return new Response(reply.text);
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
