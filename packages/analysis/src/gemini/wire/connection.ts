import type { Readable } from "node:stream";
import { Agent, request } from "undici";
import { readReplyText } from "./reply-text.ts";
import { faultFromReply, ServiceFault } from "./service-fault.ts";

/** One request; `quietMs` is how long the service may stay silent before the connection counts as broken (0: for ever). */
type ServiceRequest = {
  method: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string | Readable;
  quietMs: number;
  signal: AbortSignal;
};

/** A reply whatever its status, its text read to the end. Header names are in lower case. */
export type Reply = { status: number; headers: Readonly<Record<string, string>>; text: string };

/** The way to the service. */
export type Connection = {
  /** Where the service is, without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  /** Throws ServiceFault (no status) when no whole reply came, and the reason of `signal` once that aborts. */
  send(request: ServiceRequest): Promise<Reply>;
  /** What an error reply says. */
  fault(reply: Reply): ServiceFault;
  close(): Promise<void>;
};

const connectMs = 10_000;

/** Opens a connection of its own, apart from the process-wide one whose replies must begin within 300 s. */
export function openConnection(options: { apiKey: string; baseUrl: string }): Connection {
  const { apiKey } = options;
  // A header refuses such a key with an error that shows it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new Error("The API key of the analysis service is not printable ASCII.");
  const agent = new Agent({ connect: { timeout: connectMs } });
  return {
    baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, ""),
    apiKey,
    async send({ method, url, headers, body, quietMs, signal }) {
      signal.throwIfAborted();
      try {
        const reply = await request(url, {
          dispatcher: agent,
          method,
          headers: { ...headers, "accept-encoding": "identity", "x-goog-api-key": apiKey },
          body: body ?? null,
          headersTimeout: quietMs,
          bodyTimeout: quietMs,
          signal,
        });
        const replyHeaders = plainHeaders(reply.headers);
        const text = await readReplyText(reply.body, replyHeaders["content-encoding"]);
        return { status: reply.statusCode, headers: replyHeaders, text };
      } catch (cause) {
        signal.throwIfAborted();
        throw new ServiceFault(cause instanceof Error && cause.message ? cause.message : "The connection broke.", {
          status: null,
          cause,
        });
      }
    },
    // A suspended key is spelled out in the service's own message.
    fault: (reply) => faultFromReply({ ...reply, text: reply.text.replaceAll(apiKey, "[key]") }, Date.now()),
    close: () => agent.destroy(),
  };
}

function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
