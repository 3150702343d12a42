import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isJsonObject } from "@video-to-json/contract";
import { isPublicAddress } from "@video-to-json/runtime/public-address";
import { createParser } from "eventsource-parser";
import { EnvHttpProxyAgent, request } from "undici";
import type { ProviderObserver, TokenCounts } from "../analysis-provider.ts";

/** What the server wrote. `finishReason` is its own word. `tokens`: null if the server does not count. */
export type Completion = {
  content: string;
  /** What a thinking model wrote beside its answer. */
  reasoning: string;
  finishReason: string;
  model: string | null;
  tokens: TokenCounts | null;
};

/** A refusal, or a reply that did not come to its end (`status` null). The message is the server's, without the key. */
export class ChatError extends Error {
  readonly status: number | null;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: { status: number | null; retryAfterMs?: number | undefined; cause?: unknown }) {
    super(message, { cause: facts.cause });
    this.name = "ChatError";
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

export type ServerOptions = {
  /** Up to `/v1`. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** For a `baseUrl` with https. */
  proxy?: { url: string | undefined; except: string | undefined };
  /** How long the server may be silent after the first piece of its answer, in milliseconds. */
  maxSilenceMs?: number;
  observer?: Pick<ProviderObserver, "onRequest"> | undefined;
  /** Finds the addresses of a name. Tests replace it. */
  resolve?: LookupFunction;
};

const connectTimeoutMs = 10_000;
const reachMs = 5_000;
const usualSilenceMs = 30_000;
const maxReplyBytes = 32 * 1024 * 1024;
const plainWarning = (setting: string) =>
  `${setting} has http, and leads to a public address: name an address with https.`;

/**
 * Opens the connections to a server that the operator names with `setting`. Without encryption, data and keys may only travel in a
 * network of the operator. Throws when the address has http and is public.
 */
export function openAgent(
  setting: string,
  address: string,
  { proxy, resolve = lookup }: Pick<ServerOptions, "proxy" | "resolve">,
): EnvHttpProxyAgent {
  const { protocol, hostname } = new URL(address);
  const isPlain = protocol === "http:";
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isPlain && isIP(host) && isPublicAddress(host)) throw new Error(plainWarning(setting));
  return new EnvHttpProxyAgent({
    connect: { timeout: connectTimeoutMs, ...(isPlain ? { lookup: onlyPrivate(resolve, plainWarning(setting)) } : {}) },
    ...{ httpProxy: "", httpsProxy: proxy?.url ?? "", noProxy: proxy?.except ?? "" },
  });
}

/** Opens the connection to a server of chat completions. Throws when `baseUrl` has http and a public address. */
export function openChatServer(options: ServerOptions) {
  const { baseUrl, apiKey = "", maxSilenceMs = usualSilenceMs, observer } = options;
  if (!/^[\x21-\x7e]*$/.test(apiKey)) throw new Error("CHAT_API_KEY is not printable ASCII.");
  const base = new URL(baseUrl).href.replace(/\/+$/, "");
  const agent = openAgent("CHAT_BASE_URL", baseUrl, options);
  const headers = { ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}), "accept-encoding": "identity" };
  const withoutKey = (text: string) => (apiKey ? text.replaceAll(apiKey, "[key]") : text);
  return {
    /** Asks once. `jobId` goes along as a header, for the log of a gateway. Throws ChatError, or the reason of `signal`. */
    async complete(body: object, signal: AbortSignal, jobId?: string): Promise<Completion> {
      signal.throwIfAborted();
      const startedAt = performance.now();
      let status: number | null = null;
      try {
        const reply = await request(`${base}/chat/completions`, {
          ...{ dispatcher: agent, method: "POST", signal, headersTimeout: 0, bodyTimeout: 0 },
          headers: {
            ...headers,
            ...(jobId ? { "x-job-id": jobId } : {}),
            ...{ "content-type": "application/json", accept: "text/event-stream" },
          },
          body: JSON.stringify(body),
        });
        const pieces = watchSilence(reply.body, maxSilenceMs);
        if (reply.statusCode !== 200) {
          status = reply.statusCode;
          const retryAfterMs = retryAfterOf(reply.headers["retry-after"]);
          throw new ChatError(messageOf(await readText(pieces)), { status, retryAfterMs });
        }
        const completion = await readStream(pieces);
        status = 200;
        return completion;
      } catch (cause) {
        signal.throwIfAborted();
        const message = withoutKey(cause instanceof Error && cause.message ? cause.message : "The connection broke.");
        const facts = cause instanceof ChatError ? cause : { status: null };
        throw new ChatError(message, { ...facts, status: facts.status, cause });
      } finally {
        observer?.onRequest("generate", status, performance.now() - startedAt);
      }
    },
    /** Resolves when the server replies with anything. */
    async reach(): Promise<void> {
      const limits = { headersTimeout: reachMs, bodyTimeout: reachMs };
      const { body } = await request(`${base}/models`, { dispatcher: agent, headers, ...limits });
      await body.dump();
    },
    close: () => agent.destroy(),
  };
}

export type ChatServer = ReturnType<typeof openChatServer>;

function onlyPrivate(resolve: LookupFunction, warning: string): LookupFunction {
  return (host, options, callback) =>
    resolve(host, options, (error, address, family) => {
      const found = Array.isArray(address) ? address.map((one) => one.address) : [address];
      const refused = !error && found.some(isPublicAddress) ? new Error(warning) : null;
      callback(error ?? refused, address, family);
    });
}

/** A server may compute for long before its first piece. Silence after that means that it is dead. */
async function* watchSilence(body: AsyncIterable<Buffer> & { destroy(error: Error): unknown }, maxMs: number) {
  let timer: NodeJS.Timeout | undefined;
  let size = 0;
  try {
    for await (const piece of body) {
      timer ??= setTimeout(() => body.destroy(new Error(`The server was silent for ${maxMs} ms.`)), maxMs);
      timer.refresh();
      size += piece.length;
      if (size > maxReplyBytes) throw new Error(`The reply is larger than ${maxReplyBytes} bytes.`);
      yield piece;
    }
  } finally {
    clearTimeout(timer);
  }
}

async function readText(pieces: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  for await (const piece of pieces) read.push(piece);
  return Buffer.concat(read).toString("utf8");
}

/** Reads the events of a stream up to its end. A stream that ends before the answer does is a broken connection. */
async function readStream(pieces: AsyncIterable<Buffer>): Promise<Completion> {
  const completion: Completion = { content: "", reasoning: "", finishReason: "", model: null, tokens: null };
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => data.trim() !== "[DONE]" && addChunk(completion, data) });
  for await (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
  if (completion.finishReason === "") throw new Error("The stream ended before the answer.");
  return completion;
}

type Chunk = {
  choices?: { delta?: Record<string, unknown>; finish_reason?: unknown }[];
  model?: unknown;
  usage?: Record<string, unknown> | null;
};

function addChunk(completion: Completion, data: string): void {
  const chunk: unknown = JSON.parse(data);
  if (!isJsonObject(chunk)) throw new Error("The stream holds something else than objects.");
  if (chunk.error !== undefined) throw new ChatError(messageOf(data), { status: statusOf(chunk.error) });
  const { choices, model, usage } = chunk as Chunk;
  const { delta, finish_reason: finish } = (Array.isArray(choices) ? choices[0] : undefined) ?? {};
  if (typeof delta?.content === "string") completion.content += delta.content;
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (typeof reasoning === "string") completion.reasoning += reasoning;
  if (typeof finish === "string") completion.finishReason = finish;
  if (typeof model === "string" && /^[\w./:@-]{1,100}$/.test(model)) completion.model = model;
  if (isJsonObject(usage)) completion.tokens = tokensOf(usage);
}

function tokensOf(usage: Record<string, unknown>): TokenCounts {
  const count = (value: unknown) => (typeof value === "number" && value > 0 ? value : 0);
  const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  // Tokens of thinking are part of `completion_tokens`.
  const [input, output] = [count(usage.prompt_tokens), count(usage.completion_tokens)];
  return { input, output, thinking: 0, cached: Math.min(input, count(details.cached_tokens)) };
}

/** Servers write `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, or plain text. */
function messageOf(text: string): string {
  try {
    const { error, message, detail } = JSON.parse(text);
    const words = (isJsonObject(error) ? error.message : error) ?? message ?? detail;
    return typeof words === "string" ? words : JSON.stringify(words ?? text);
  } catch {
    return text.slice(0, 1000) || "no words";
  }
}

function statusOf(error: unknown): number {
  const code = isJsonObject(error) ? Number(error.code) : Number.NaN;
  return code >= 400 && code <= 599 ? code : 500;
}

function retryAfterOf(header: string | string[] | undefined): number | undefined {
  const seconds = Number(header);
  return header !== undefined && seconds >= 0 ? seconds * 1000 : undefined;
}
