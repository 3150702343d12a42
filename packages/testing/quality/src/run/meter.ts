import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Journal } from "./journal.ts";
import { type Spent, sumSpent } from "./spending.ts";

type MeterDeps = {
  providerUrl: string;
  journal: Pick<Journal, "reserve">;
  /** The most tokens that one question can cost now: the longest video in flight, and text. */
  mostTokens(): number;
};

/** Forwards what workers send to the provider and counts the tokens, for each job and within a budget. */
export async function startMeter(deps: MeterDeps) {
  const jobs = new Map<string, string>();
  const spent = new Map<string, Spent>();
  const spentBy = (job: string) => spent.get(job) ?? sumSpent([]);
  const server = createServer((request, response) => {
    void forward(request, response).catch(() => response.destroy());
  });
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, worker = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const isChat = /\/chat\/completions$/.test(path);
    const isQuestion = isChat || /:(?:stream)?generateContent(?:\?|$)/i.test(path);
    const isStart = /\bstart\b/.test(String(request.headers["x-goog-upload-command"] ?? ""));
    // Only short bodies are read here. The video streams through.
    const body = isQuestion || isStart ? await text(request) : undefined;
    if (isStart) jobs.set(worker, jobIdIn(body ?? ""));
    const most = { requests: 1, inTokens: deps.mostTokens(), outTokens: mostAnswerTokens };
    const settle = isQuestion ? deps.journal.reserve(most) : undefined;
    if (isQuestion && !settle) return refuse(response, isChat ? 402 : 429);
    const reply = await send(deps.providerUrl.replace(/\/+$/, "") + path, request, body);
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    if (!isQuestion) {
      reply.pipe(response);
      reply.once("error", () => response.destroy());
      return;
    }
    const answer = await text(reply);
    const actual = { ...usageIn(answer), requests: 1 };
    settle?.(actual);
    const job = isChat ? String(request.headers["x-job-id"]) : (jobs.get(worker) ?? "");
    spent.set(job, sumSpent([spentBy(job), actual]));
    response.end(answer);
  }

  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    /** Returns the provider's address for one worker, which runs one job at a time. */
    urlFor: (worker: string) => `http://127.0.0.1:${port}/${worker}`,
    spentBy,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

export type Meter = Awaited<ReturnType<typeof startMeter>>;

function send(url: string, request: IncomingMessage, body: string | undefined): Promise<IncomingMessage> {
  const { protocol, host } = new URL(url);
  // Counting requires an uncompressed answer.
  const { "accept-encoding": encoding, ...headers } = request.headers;
  const open = protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sending = open(url, { method: request.method, headers: { ...headers, host } }, resolve);
    sending.once("error", reject);
    request.once("close", () => {
      if (!request.complete) sending.destroy();
    });
    if (body === undefined) request.pipe(sending);
    else sending.end(body);
  });
}

/** More than any answer of the benchmark has, with thoughts. */
const mostAnswerTokens = 20_000;

/** A server of chat completions that answers 429 is asked again, so it answers with another refusal. */
function refuse(response: ServerResponse, status: 402 | 429): void {
  const message = "The budget of this run is spent.";
  const violations = [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }];
  const details = [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations }];
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: status, status: "RESOURCE_EXHAUSTED", message, details } }));
}

function jobIdIn(body: string): string {
  return /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(body)?.[0] ?? "";
}

/** Returns the tokens that a response counts. The last count of a stream is the total. */
function usageIn(answer: string): Omit<Spent, "requests"> {
  const last = (name: string) => {
    const found = [...answer.matchAll(new RegExp(`"${name}"\\s*:\\s*(\\d+)`, "g"))].at(-1);
    return Number(found?.[1] ?? 0);
  };
  const inTokens = last("promptTokenCount") || last("prompt_tokens");
  const outTokens = last("candidatesTokenCount") + last("thoughtsTokenCount") || last("completion_tokens");
  return { inTokens, outTokens };
}
