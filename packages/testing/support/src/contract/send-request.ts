import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";
import type { Exchange } from "./exchange.ts";

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
  const header = (name: string) => {
    const value = answer.headers[name.toLowerCase()];
    return value === undefined ? null : String(value);
  };
  return { method, path, status: answer.statusCode ?? 0, header, body: Buffer.concat(chunks).toString() };
}
