import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handles one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Starts a loopback server. Each request gets the next handler; when all are used, the last one. Records all requests.
 */
export async function startFaultServer(...handlers: [Handler, ...Handler[]]) {
  const requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: Buffer[] }[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const body: Buffer[] = [];
    requests.push({ method, url, headers, body });
    request.on("data", (chunk: Buffer) => body.push(chunk)).on("error", () => {});
    const handler = handlers[requests.length - 1] ?? handlers.at(-1);
    handler?.(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodyOf: (index: number) => Buffer.concat(requests[index]?.body ?? []),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The body of a successful extraction. */
export const answerText =
  '{"id":"8e7f0f1c-3c4b-4c0e-9d43-0f6f4f3f2b11","data":{"b":1.0,"2":0},"video":{"duration_seconds":5.04},"billed_seconds":60}';

/** Answers after the whole request body has arrived. */
export function answers(text: string, status = 200, headers: Record<string, string> = {}): Handler {
  return (request, response) => {
    request.on("end", () => response.writeHead(status, { "content-type": "application/json", ...headers }).end(text));
  };
}

/** Answers with an Error body after the whole request body has arrived. */
export function refuses(status: number, code: string, headers: Record<string, string> = {}): Handler {
  return answers(JSON.stringify({ error: { code, message: `It is ${code}.` } }), status, headers);
}

/** Cuts the connection: at once, after a number of bytes, or after the whole request body. */
export function cuts(when: "at once" | "after everything" | number): Handler {
  return (request) => {
    let bytes = 0;
    if (when === "at once") request.socket.resetAndDestroy();
    else if (when === "after everything") request.on("end", () => request.socket.resetAndDestroy());
    else {
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > when) request.socket.resetAndDestroy();
      });
    }
  };
}
