import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";
import type { Exchange } from "./exchange.ts";

/** A request as it goes out. `host: false` leaves out the Host header, which no other client can. */
export type Sent = {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | FormData;
  host?: false;
  /** Whose connections it goes out on, if not one of its own. */
  agent?: Agent;
};

/** Sends a request, on a connection of its own unless it names an agent, and gives what was answered. */
export async function sendRequest(
  baseUrl: string,
  { method = "GET", path, headers, body, host, agent }: Sent,
): Promise<Exchange> {
  // Encodes a form, and names its boundary.
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
