import type { Readable } from "node:stream";
import { Agent, request } from "undici";
import type { ProviderObserver, ProviderRequest } from "../../provider-observer.ts";
import { GeminiError, readErrorReply } from "./gemini-error.ts";
import { readReplyText } from "./reply-text.ts";

/** One HTTP request. */
type WireRequest = {
  kind: ProviderRequest;
  method: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string | Readable;
  /** The longest silence before the connection counts as broken, in milliseconds; 0 means no limit. */
  maxSilenceMs: number;
  signal: AbortSignal;
};

/** A complete reply of any status. Header names are in lower case. */
export type Reply = { status: number; headers: Readonly<Record<string, string>>; text: string };

/** The HTTP connection to Gemini. */
export type Connection = {
  /** The base URL, without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  /** Throws GeminiError without a status when no complete reply came, and the reason of `signal` when it aborts. */
  send(request: WireRequest): Promise<Reply>;
  /** Reads an error reply. */
  errorOf(reply: Reply): GeminiError;
  /** Resolves when the provider replies with anything. Rejects when no reply comes. */
  reach(): Promise<void>;
  close(): Promise<void>;
};

const connectTimeoutMs = 10_000;
const reachMs = 5000;

/** Opens a connection for Gemini only, because the process's own fails when a reply does not start within 300 s. */
export function openConnection(options: {
  apiKey: string;
  baseUrl: string;
  observer?: Pick<ProviderObserver, "onRequest"> | undefined;
}): Connection {
  const { apiKey, observer } = options;
  // undici's error for an invalid header would contain the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new Error("The provider's API key is not printable ASCII.");
  const agent = new Agent({ connect: { timeout: connectTimeoutMs } });
  const baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, "");
  return {
    baseUrl,
    apiKey,
    async send({ kind, method, url, headers, body, maxSilenceMs, signal }) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      const report = (status: number | null) => observer?.onRequest(kind, status, performance.now() - startedAt);
      try {
        const reply = await request(url, {
          dispatcher: agent,
          method,
          headers: { ...headers, "accept-encoding": "identity", "x-goog-api-key": apiKey },
          body: body ?? null,
          headersTimeout: maxSilenceMs,
          bodyTimeout: maxSilenceMs,
          signal,
        });
        const replyHeaders = singleHeaders(reply.headers);
        const text = await readReplyText(reply.body, replyHeaders["content-encoding"]);
        report(reply.statusCode);
        return { status: reply.statusCode, headers: replyHeaders, text };
      } catch (cause) {
        signal.throwIfAborted();
        report(null);
        const message = cause instanceof Error && cause.message ? cause.message : "The connection broke.";
        throw new GeminiError(message, { status: null, cause });
      }
    },
    // Gemini's message about a suspended key contains the key.
    errorOf: (reply) => readErrorReply({ ...reply, text: reply.text.replaceAll(apiKey, "[key]") }, Date.now()),
    async reach() {
      const options = { dispatcher: agent, method: "HEAD", headersTimeout: reachMs, bodyTimeout: reachMs } as const;
      const { body } = await request(baseUrl, options);
      await body.dump();
    },
    close: () => agent.destroy(),
  };
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
