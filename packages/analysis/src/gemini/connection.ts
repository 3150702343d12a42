import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, unzip } from "node:zlib";
import { EnvHttpProxyAgent, request } from "undici";
import type { ProviderObserver, ProviderRequest } from "../analysis-provider.ts";
import type { Access } from "./access.ts";
import { GeminiError, readErrorReply } from "./gemini-error.ts";

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

/** The access tokens of requests, in place of an API key. */
export type TokenSource = {
  /** Returns a token that is valid now. Throws when none can be had. */
  get(): Promise<string>;
  /** The newest token, which no message may show. */
  newest(): string | undefined;
  /** To be called when a token was refused: the next one is another. */
  drop(): void;
  close(): Promise<void>;
};

/** A proxy, and the hosts that are asked without it, as in `HTTPS_PROXY` and `NO_PROXY`. */
export type ProxySettings = { url: string | undefined; except: string | undefined };

const connectTimeoutMs = 10_000;
const reachMs = 5000;
/** Shorter values of headers are words, not secrets. */
const minSecretLength = 8;

/** Opens a connection for Gemini only, because the process's own fails when a reply does not start within 300 s. */
export function openConnection(options: {
  /** Not sent if there is a `token`. */
  apiKey: string;
  token?: TokenSource;
  baseUrl: string;
  headers?: Readonly<Record<string, string>> | undefined;
  proxy?: ProxySettings | undefined;
  observer?: Pick<ProviderObserver, "onRequest"> | undefined;
  /** Receives every error reply. */
  onError?(error: GeminiError): void;
  access?: Access | undefined;
}): Connection {
  const { apiKey, token, headers: extra = {}, proxy, observer, onError, access } = options;
  // undici's error for an invalid header would contain the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new Error("The provider's API key is not printable ASCII.");
  // Texts that are not undefined keep the agent from reading the environment.
  const agent = new EnvHttpProxyAgent({
    connect: { timeout: connectTimeoutMs },
    ...{ httpProxy: "", httpsProxy: proxy?.url ?? "", noProxy: proxy?.except ?? "" },
  });
  // Gemini's message about a suspended key contains the key, and a gateway may quote its own.
  const secrets = [apiKey, ...Object.values(extra).filter((value) => value.length >= minSecretLength)];
  const withoutSecrets = (text: string) =>
    [...secrets, token?.newest() ?? apiKey].reduce((rest, secret) => rest.replaceAll(secret, "[key]"), text);
  const authorize = async () =>
    token ? { authorization: `Bearer ${await token.get()}` } : { "x-goog-api-key": apiKey };
  const read = (reply: Reply) => readErrorReply({ ...reply, text: withoutSecrets(reply.text) }, Date.now());
  const baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, "");
  return {
    baseUrl,
    apiKey,
    async send({ kind, method, url, headers, body, maxSilenceMs, signal }) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      const report = (status: number | null) => observer?.onRequest(kind, status, performance.now() - startedAt);
      // The SDK always sends a key.
      const { "x-goog-api-key": _, ...own } = headers;
      try {
        const reply = await request(url, {
          dispatcher: agent,
          method,
          headers: { ...extra, ...own, "accept-encoding": "identity", ...(await authorize()) },
          body: body ?? null,
          headersTimeout: maxSilenceMs,
          bodyTimeout: maxSilenceMs,
          signal,
        });
        const replyHeaders = singleHeaders(reply.headers);
        const text = await readReplyText(reply.body, replyHeaders["content-encoding"]);
        report(reply.statusCode);
        const complete = { status: reply.statusCode, headers: replyHeaders, text };
        if (reply.statusCode === 401) token?.drop();
        access?.note(aboutOf(kind, url), reply.statusCode < 400 ? null : read(complete));
        return complete;
      } catch (cause) {
        signal.throwIfAborted();
        report(null);
        const message = cause instanceof Error && cause.message ? cause.message : "The connection broke.";
        throw new GeminiError(message, { status: null, cause });
      }
    },
    errorOf(reply) {
      const error = read(reply);
      onError?.(error);
      return error;
    },
    async reach() {
      const options = {
        dispatcher: agent,
        method: "HEAD",
        headers: extra,
        headersTimeout: reachMs,
        bodyTimeout: reachMs,
      } as const;
      const { body } = await request(baseUrl, options);
      await body.dump();
    },
    async close() {
      await Promise.all([agent.destroy(), token?.close()]);
    },
  };
}

/** Returns what a request asks for: a model, or the kind of the request. */
function aboutOf(kind: ProviderRequest, url: string): string {
  const model = kind === "generate" ? /\/models\/([^/:]+):/.exec(url)?.[1] : undefined;
  return model === undefined ? kind : `model ${model}`;
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const maxReplyBytes = 32 * 1024 * 1024;
const bounded = { maxOutputLength: maxReplyBytes };
const decoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: (bytes) => promisify(unzip)(bytes, bounded),
  "x-gzip": (bytes) => promisify(unzip)(bytes, bounded),
  deflate: (bytes) => promisify(unzip)(bytes, bounded),
  br: (bytes) => promisify(brotliDecompress)(bytes, bounded),
};

/**
 * Reads a reply to its end. Our requests ask for uncompressed replies, but a proxy may compress them anyway. Throws
 * when the reply, compressed or not, is larger than 32 MiB, or cannot be decompressed.
 *
 * @param encodings the `Content-Encoding` header.
 */
export async function readReplyText(body: AsyncIterable<Buffer>, encodings: string | undefined): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxReplyBytes) throw new Error(`The provider's reply is larger than ${maxReplyBytes} bytes.`);
    pieces.push(piece);
  }
  let bytes: Buffer = Buffer.concat(pieces);
  // The header lists the encodings in the order in which they were applied.
  for (const encoding of (encodings ?? "").toLowerCase().split(",").reverse()) {
    const decode = decoders[encoding.trim()];
    if (decode && bytes.length > 0) bytes = await decode(bytes);
  }
  return bytes.toString("utf8");
}
