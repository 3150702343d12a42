import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { priceOf } from "@video-to-json/analysis";
import { isJsonObject } from "@video-to-json/contract";
import type { Recorded } from "../generate/guesses.ts";
import { formFaults } from "../protocol/message.ts";
import { createFileRequest, generateContentRequest, refusalReply, replies } from "../protocol/tables.ts";

/** What came back for one case, by case and operation, and where a request or a reply had another form than Google's. */
export type Records = { replies: Record<string, Recorded>; formFaults: string[]; dollars: number };

/** No answer of the contract needs more. It bounds what a question can cost. */
const maxOutputTokens = 1024;
/** More than two seconds of video and any text of the contract, except for the text that is counted by its length. */
const mostVideoTokens = 20_000;

/**
 * Starts a server that passes requests on to the provider and records the replies of the current case. A question that
 * may cost more than what is left is not passed on: its case has the status 402, and nothing is recorded.
 */
export async function startRecorder(target: string, budgetDollars: number) {
  const records: Records = { replies: {}, formFaults: [], dollars: 0 };
  let current = "";
  let isStopped = false;
  const server = createServer((request, response) => {
    void pass(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const operation = operationOf(request);
    let body: Uint8Array<ArrayBuffer> = new Uint8Array(await buffer(request));
    const model = /\/models\/([^/:]+):/.exec(path)?.[1] ?? "";
    if (operation === "generate") {
      const question = JSON.parse(Buffer.from(body).toString());
      check(generateContentRequest, question);
      question.generationConfig = { ...question.generationConfig, maxOutputTokens };
      body = new Uint8Array(Buffer.from(JSON.stringify(question)));
      const input = mostVideoTokens + textOf(question);
      const most = priceOf(model, { input, output: maxOutputTokens, thinking: 0, cached: 0 });
      if (records.dollars + most > budgetDollars) isStopped = true;
      if (isStopped) return answer(response, 402, JSON.stringify({ error: { message: "The budget is spent." } }), []);
    }
    if (operation === "start") check(createFileRequest, JSON.parse(Buffer.from(body).toString()));
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
    const method = request.method ?? "GET";
    const reply = await fetch(`${target}${path}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await reply.text();
    record(operation, model, reply.status, text);
    answer(response, reply.status, text, [...reply.headers]);
  }

  function check(table: Parameters<typeof formFaults>[0], message: unknown): void {
    const faults = isJsonObject(message) ? formFaults(table, message) : ["no JSON object"];
    records.formFaults.push(...faults.map((fault) => `${current}: ${fault}`));
  }

  function record(operation: string, model: string, status: number, text: string): void {
    const json = text.startsWith("{") ? JSON.parse(text) : {};
    const { error, usageMetadata: usage } = json;
    const table = replies[operation as keyof typeof replies];
    if (status >= 400) check(refusalReply, json);
    else if (table && text.startsWith("{")) check(table, json);
    const refused = { code: String(error?.status), message: String(error?.message) };
    records.replies[`${current} ${operation}`] = { status, ...(status >= 400 ? refused : {}) };
    if (!usage) return;
    records.dollars += priceOf(model, {
      input: usage.promptTokenCount ?? 0,
      output: usage.candidatesTokenCount ?? 0,
      thinking: usage.thoughtsTokenCount ?? 0,
      cached: usage.cachedContentTokenCount ?? 0,
    });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    isStopped: () => isStopped,
    begin(name: string) {
      current = name;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function operationOf({ method, url = "", headers }: IncomingMessage): string {
  if (url.includes(":generateContent")) return "generate";
  if (url.startsWith("/upload/")) return headers["x-goog-upload-command"] === "start" ? "start" : "chunk";
  if (method === "DELETE") return "delete";
  return /\/files\/[^/]/.test(url) ? "get" : "list";
}

/** A token has at least one byte. */
function textOf({ contents, ...rest }: { contents: { parts: { text?: string }[] }[] }): number {
  const texts = contents.flatMap(({ parts }) => parts.map(({ text = "" }) => text));
  return Buffer.byteLength(JSON.stringify(rest) + texts.join(""));
}

function answer(response: ServerResponse, status: number, text: string, headers: [string, string][]): void {
  const passed = headers.filter(([name]) => name.startsWith("x-goog-") || name === "content-type");
  response.writeHead(status, Object.fromEntries(passed)).end(text);
}
