import { once } from "node:events";
import {
  type Agent,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type RequestListener,
  request,
  type ServerResponse,
} from "node:http";

/** A request and its response: the parts that the interface description covers. */
export type Exchange = {
  method: string;
  /** Path without the query. */
  path: string;
  status: number;
  header(name: string): string | null;
  /** The response body as text; empty when there is no body. */
  body: string;
};

/** Reads the response of a `fetch`. Returns the exchange; the body of `response` is consumed. */
export async function exchangeOf(response: Response, method: string): Promise<Exchange> {
  const body = await response.text();
  const { status, headers, url } = response;
  return { method, path: new URL(url).pathname, status, header: (name) => headers.get(name), body };
}

/** Wraps a request listener: calls `onExchange` with each exchange whose response was sent completely. */
export function recordExchanges(listener: RequestListener, onExchange: (exchange: Exchange) => void): RequestListener {
  return (request, response) => {
    const chunks = copyBody(response);
    response.once("finish", () => onExchange(recordedExchange(request, response, Buffer.concat(chunks).toString())));
    listener(request, response);
  };
}

function copyBody(response: ServerResponse): Buffer[] {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as Uint8Array));
  };
  const { write, end } = response;
  response.write = ((...given: Parameters<typeof write>) => {
    keep(given[0]);
    return write.apply(response, given);
  }) as typeof write;
  response.end = ((...given: Parameters<typeof end>) => {
    keep(given[0]);
    return end.apply(response, given);
  }) as typeof end;
  return chunks;
}

function recordedExchange(
  { method = "", url = "" }: IncomingMessage,
  response: ServerResponse,
  body: string,
): Exchange {
  const header = (name: string) => textOf(response.getHeader(name));
  // A request may have an absolute URL.
  const [path = ""] = url.replace(/^https?:\/\/[^/]+/i, "").split("?");
  return { method, path, status: response.statusCode, header, body };
}

function textOf(value: OutgoingHttpHeader | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** A request to send. `host: false` omits the Host header, which `fetch` cannot do. */
export type Sent = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | FormData;
  host?: false;
  /** The agent whose connections the request uses; by default a new connection. */
  agent?: Agent;
};

/** Sends a request, on a new connection unless it names an agent. Returns the exchange. */
export async function sendRequest(
  baseUrl: string,
  { method = "GET", path, headers, body, host, agent }: Sent,
): Promise<Exchange> {
  // `Request` encodes a form and chooses its boundary.
  const encoded = new Request("http://form", { method: "POST", body: body ?? "" });
  const bytes = Buffer.from(await encoded.arrayBuffer());
  const type = body instanceof FormData ? { "content-type": encoded.headers.get("content-type") ?? "" } : {};
  const outgoing = request(new URL(path, baseUrl), {
    method,
    headers: { ...type, ...headers, "content-length": bytes.length },
    setHost: host ?? true,
    agent: agent ?? false,
  });
  outgoing.end(bytes);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const header = (name: string) => textOf(answer.headers[name.toLowerCase()]);
  return { method, path, status: answer.statusCode ?? 0, header, body: Buffer.concat(chunks).toString() };
}
